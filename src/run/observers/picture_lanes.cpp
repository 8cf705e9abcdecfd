#include "src/run/observers/picture_lanes.hpp"

#include <algorithm>

namespace grove {

PictureLanes PictureLanes::of(int threads, std::uint64_t bytes_a_state) {
  constexpr int most = 8, threads_wanted = 2;
  constexpr std::uint64_t bytes_for_all = std::uint64_t{1} << 28;
  const std::uint64_t by_memory = bytes_for_all / std::max<std::uint64_t>(bytes_a_state, 1);
  const int by_threads = std::clamp(threads / threads_wanted, 1, most);
  const int count = std::max(static_cast<int>(std::min<std::uint64_t>(by_memory, static_cast<std::uint64_t>(by_threads))), 1);
  return {static_cast<std::size_t>(count), std::max(threads / count, 1)};
}

}  // namespace grove
