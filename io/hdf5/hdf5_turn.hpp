// Whose turn it is to use HDF5, which one thread of a process may do at a time: the HDF5 of most distributions is not made for threads.
#pragma once

#include <utility>

namespace grove {

/// The right to use HDF5. Every function of io/ that does so holds a turn, or is given one. A turn may go from one thread to another: who
/// wants to write later, on a thread of its own, takes the turn first and moves it there.
///
/// So ranks cannot wait for each other in a circle: all of them take turns in the order of their program, and a turn that has gone to
/// another thread ends without the help of the one that gave it away.
class Hdf5Turn {
 public:
  /// Waits until no other object has the turn.
  Hdf5Turn();
  Hdf5Turn(Hdf5Turn&& other) noexcept : has_it_(std::exchange(other.has_it_, false)) {}
  Hdf5Turn(const Hdf5Turn&) = delete;
  Hdf5Turn& operator=(const Hdf5Turn&) = delete;
  Hdf5Turn& operator=(Hdf5Turn&&) = delete;
  ~Hdf5Turn();

 private:
  bool has_it_ = true;
};

}  // namespace grove
