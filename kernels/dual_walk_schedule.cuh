// Which target a warp of the dual walk takes next, and how it knows that the list it starts from is there.
//
// Target cells of all levels are in one launch. Warps draw numbers, a cell after the one above it, so that whoever waits for a cell waits
// for one that a warp has taken before. A cell's list, and its expansion, are there once the range of its list is written. Where there are
// few cells for all warps, the chain of levels is what takes the time: then lists come first, with a mark of its own for the expansion, so
// that cells need not wait for expansions before they test.
//
// Where memory for a list is short, the range says so; the cells and groups below are then passed over, and walked by later launches.
#pragma once

#include <cuda/atomic>

#include "kernels/warp.cuh"

namespace grove::dual_walk {

/// States of a target cell's range that are none; see DualArguments::list_range.
inline constexpr std::uint64_t not_ready = ~std::uint64_t{0}, no_memory = not_ready - 1;

/// Draws the numbers 0, 1, ... `end` - 1 for one warp. `ahead`: always one more than it works on, since the answer takes a while; not where
/// others wait for what the number stands for. All lanes call each function together.
template <bool ahead>
class NumberDrawer {
 public:
  __device__ NumberDrawer(unsigned* counter, std::uint32_t end) : counter_(counter), end_(end) {
    if constexpr (ahead) drawn_ = draw();
  }

  /// Sets `number`; false when there are no more.
  __device__ bool next(std::uint32_t& number) {
    if constexpr (!ahead) drawn_ = draw();
    number = __shfl_sync(all_lanes, drawn_, 0);
    if (number >= end_) return false;
    if constexpr (ahead) drawn_ = draw();
    return true;
  }

 private:
  __device__ unsigned draw() const { return threadIdx.x % warp_size == 0 ? atomicAdd(counter_, 1U) : 0; }

  unsigned* counter_;
  std::uint32_t end_;
  unsigned drawn_ = 0;
};

/// What a warp that has drawn a lower number, or this one, writes to `word` in place of `not_yet`.
template <class T>
__device__ T wait_for(T& word, T not_yet) {
  T seen = not_yet;
  if (threadIdx.x % warp_size == 0) {
    const cuda::atomic_ref<T, cuda::thread_scope_device> ready(word);
    while ((seen = ready.load(cuda::memory_order_relaxed)) == not_yet) __nanosleep(100);
    // Once, not at each look: it empties the first-level cache.
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
  }
  return __shfl_sync(all_lanes, seen, 0);
}

/// Writes a word that others wait for, after all that this warp has written before.
template <class T>
__device__ void publish(T& word, T value) {
  __syncwarp();
  if (threadIdx.x % warp_size == 0) cuda::atomic_ref<T, cuda::thread_scope_device>(word).store(value, cuda::memory_order_release);
}

}  // namespace grove::dual_walk
