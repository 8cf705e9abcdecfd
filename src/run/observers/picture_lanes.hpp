// How many states are drawn at the same time, each on its own thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace grove {

/// How the cores of a rank are shared between the states whose pictures are drawn at the same time. Compression, half of the work, takes
/// one thread for each picture; many states with few threads each are therefore drawn sooner than one with all threads.
struct PictureLanes {
  std::size_t count = 1;  ///< states at the same time, >= 1
  int threads_each = 1;   ///< OpenMP threads that draw one of them, >= 1

  /// @param threads        of the rank, >= 1
  /// @param bytes_a_state  the sums of all pictures of one state: those of all lanes are at most a quarter of a GiB, if one state's are.
  ///                       A lane at work takes about three times as much
  static PictureLanes of(int threads, std::uint64_t bytes_a_state) {
    constexpr std::uint64_t most = 8, threads_wanted = 2, bytes_for_all = std::uint64_t{1} << 28;
    const auto available = static_cast<std::uint64_t>(threads);
    const std::uint64_t by_memory = bytes_for_all / std::max<std::uint64_t>(bytes_a_state, 1);
    const std::uint64_t count = std::max<std::uint64_t>(std::min({by_memory, available / threads_wanted, most}), 1);
    return {static_cast<std::size_t>(count), static_cast<int>(std::max<std::uint64_t>(available / count, 1))};
  }
};

}  // namespace grove
