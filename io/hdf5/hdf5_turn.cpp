#include "io/hdf5/hdf5_turn.hpp"

#include <semaphore>

namespace grove {

namespace {

// Not a mutex, which only the locking thread may unlock.
std::binary_semaphore& turn() {
  static std::binary_semaphore one(1);
  return one;
}

}  // namespace

Hdf5Turn::Hdf5Turn() { turn().acquire(); }

Hdf5Turn::~Hdf5Turn() {
  if (has_it_) turn().release();
}

}  // namespace grove
