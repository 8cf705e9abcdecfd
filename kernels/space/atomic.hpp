// Counters and marks that many threads change.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/space/host_device.hpp"

#if defined(__CUDACC__)
#include <cuda/atomic>
#endif

namespace grove {

/// Adds `n` to a counter and returns its former value. The order of the threads is undefined.
GROVE_HD inline std::uint32_t fetch_add(std::uint32_t& counter, std::uint32_t n) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(&counter, n);
#else
  return std::atomic_ref<std::uint32_t>(counter).fetch_add(n, std::memory_order_relaxed);
#endif
}

/// The same for 64 bits.
GROVE_HD inline std::uint64_t fetch_add(std::uint64_t& counter, std::uint64_t n) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(unsigned long long) == sizeof n);
  return atomicAdd(reinterpret_cast<unsigned long long*>(&counter), n);
#else
  return std::atomic_ref<std::uint64_t>(counter).fetch_add(n, std::memory_order_relaxed);
#endif
}

/// Sets a mark that is 0 to 1. False where it was 1 already, or another thread was faster. Marks are for the loops that follow.
GROVE_HD inline bool set_once(std::uint32_t& mark) {
#if defined(__CUDA_ARCH__)
  return atomicExch(&mark, 1U) == 0;
#else
  return std::atomic_ref<std::uint32_t>(mark).exchange(1, std::memory_order_relaxed) == 0;
#endif
}

/// Adds 1 to a counter for a whole team, whose members call it together, and returns the former value to all of them. The team sees what
/// earlier teams wrote before they arrived.
template <class Team>
GROVE_HD std::uint32_t arrive(const Team& team, std::uint32_t& counter) {
  std::uint32_t before = 0;
  team.synchronize();
  if (team.rank() == 0) {
#if defined(__CUDA_ARCH__)
    before = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>(counter).fetch_add(1, cuda::memory_order_acq_rel);
#else
    before = std::atomic_ref<std::uint32_t>(counter).fetch_add(1, std::memory_order_acq_rel);
#endif
  }
  team.synchronize();
  return team.of_first(before);
}

}  // namespace grove
