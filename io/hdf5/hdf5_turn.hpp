// Only one thread of a process may use HDF5 at a time: the HDF5 of most distributions is not thread-safe.
#pragma once

#include <semaphore>
#include <utility>

namespace grove {

/// The right to use HDF5. Every function of io/ that uses it holds a turn or is given one. A turn can move to another thread: whoever
/// writes in the background takes the turn first and moves it there.
///
/// This prevents a deadlock between ranks: all take turns in program order, and a turn in another thread ends without the thread that gave
/// it away.
class Hdf5Turn {
 public:
  /// Waits until no other object has the turn.
  Hdf5Turn() { turn_.acquire(); }
  Hdf5Turn(Hdf5Turn&& other) noexcept : has_it_(std::exchange(other.has_it_, false)) {}
  Hdf5Turn(const Hdf5Turn&) = delete;
  Hdf5Turn& operator=(const Hdf5Turn&) = delete;
  Hdf5Turn& operator=(Hdf5Turn&&) = delete;
  ~Hdf5Turn() {
    if (has_it_) turn_.release();
  }

 private:
  // Not a mutex, which only the locking thread may unlock.
  static inline std::binary_semaphore turn_{1};
  bool has_it_ = true;
};

}  // namespace grove
