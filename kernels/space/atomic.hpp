// Counters that many threads change.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/space/host_device.hpp"

namespace grove {

/// Adds `n` to a counter. Returns what it was before. The order of the threads is not determined.
GROVE_HD inline std::uint32_t fetch_add(std::uint32_t& counter, std::uint32_t n) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(&counter, n);
#else
  return std::atomic_ref<std::uint32_t>(counter).fetch_add(n, std::memory_order_relaxed);
#endif
}

}  // namespace grove
