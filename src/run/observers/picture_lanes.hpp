// How many states are drawn at the same time, each on a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace grove {

/// The cores of a rank shared between the states whose pictures are drawn at the same time. Packing a picture, half of the work, takes one
/// thread; so many states with few threads each are drawn sooner than one with all.
struct PictureLanes {
  std::size_t count = 1;  ///< states at the same time, >= 1
  int threads_each = 1;   ///< OpenMP threads that draw one of them, >= 1

  /// @param threads        of the rank, >= 1
  /// @param bytes_a_state  the sums of all pictures of one state: those of all lanes are at most a quarter of a GiB, if one state's are.
  ///                       A lane at work takes about twice as much again
  static PictureLanes of(int threads, std::uint64_t bytes_a_state);
};

}  // namespace grove
