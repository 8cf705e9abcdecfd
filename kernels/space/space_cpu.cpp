#include <algorithm>
#include <cstdlib>
#include <new>
#include <parallel/algorithm>

#include "kernels/base/error.hpp"
#include "kernels/space/cpu_level.hpp"
#include "kernels/space/rounded_up.hpp"
#include "kernels/space/space.hpp"

namespace grove {

void HostSpace::sort_pairs(View<std::uint64_t> keys, View<std::uint32_t> values, int bits, KeyOrder /*order*/) {
  struct Pair {
    std::uint64_t key;
    std::uint32_t value, rank;  // former place, which orders equal keys
  };
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  Scratch<HostSpace, Pair> pairs(*this, keys.size);
  Pair* const p = pairs.data();
  for_each(keys.size, [=](std::size_t i) { p[i] = {keys[i], values[i], static_cast<std::uint32_t>(i)}; });
  __gnu_parallel::sort(p, p + keys.size, [mask](const Pair& a, const Pair& b) {
    const std::uint64_t ka = a.key & mask, kb = b.key & mask;
    return ka < kb || (ka == kb && a.rank < b.rank);
  });
  for_each(keys.size, [=](std::size_t i) {
    keys[i] = p[i].key;
    values[i] = p[i].value;
  });
}

void* HostSpace::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const data = std::aligned_alloc(64, rounded_up(bytes, 64));
  if (!data)
    throw SystemError("the host is out of memory: " + std::to_string(bytes >> 20) + " MiB more wanted, " +
                      std::to_string(bytes_held_ >> 20) + " MiB held by this rank; " + more_host_memory);
  bytes_held_ += bytes;
  most_bytes_held_ = std::max(most_bytes_held_, bytes_held_);
  return data;
}

void HostSpace::deallocate(void* data, std::size_t bytes) noexcept {
  std::free(data);
  bytes_held_ -= data ? bytes : 0;
}

std::string HostSpace::description() const {
  const std::string level = cpu_level_text();
  return "CPU, " + std::to_string(omp_get_max_threads()) + (omp_get_max_threads() == 1 ? " thread" : " threads") +
         (level.empty() ? "" : ", " + level);
}

}  // namespace grove
