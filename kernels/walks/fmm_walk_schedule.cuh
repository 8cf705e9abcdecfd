// Which target a warp of the walk of `fmm` takes next, and how it knows that the list it starts from is there.
//
// Target cells of all levels are in one launch. Warps draw numbers, a cell after the one above it, so that whoever waits for a cell waits
// for one that a warp has taken before. A cell's list, and its expansion, are there once the range of its list is written. Where there are
// few cells for all warps, the chain of levels is what takes the time: then lists come first, and a cell's mark says when its expansion is
// there, so that cells need not wait for expansions before they test.
//
// Groups are a launch of their own, whose blocks start as those of the cells end: the last cells of a walk, deep in dense regions, would
// keep few warps busy. A group waits for the mark of the cell above it until all cells are known to be done.
//
// Where memory for a list is short, the range says so; the cells and groups below are then passed over, and walked by later launches.
//
// All loops in which a warp waits are left by a vote, so that the compiler sees that lanes stay together. Otherwise it guards every
// exchange between lanes against lanes that have left, and the code grows by a third.
#pragma once

#include <cuda/atomic>

#include "kernels/space/warp.cuh"

namespace grove::fmm_walk {

/// States of a target cell's range that are none; see FmmArguments::list_range.
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
  const cuda::atomic_ref<T, cuda::thread_scope_device> ready(word);
  T seen;
  while (__any_sync(all_lanes, (seen = ready.load(cuda::memory_order_relaxed)) == not_yet)) __nanosleep(100);
  // Once, not at each look: it empties the first-level cache.
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
  return seen;
}

/// Writes a word that others wait for, after all that this warp has written before.
template <class T>
__device__ void publish(T& word, T value) {
  __syncwarp();
  if (threadIdx.x % warp_size == 0) cuda::atomic_ref<T, cuda::thread_scope_device>(word).store(value, cuda::memory_order_release);
}

/// Adds 1 to a counter, after all that this warp has written before.
__device__ inline void count_up(unsigned& counter) {
  if (threadIdx.x % warp_size == 0) cuda::atomic_ref<unsigned, cuda::thread_scope_device>(counter).fetch_add(1, cuda::memory_order_release);
}

/// From here on blocks of the next launch of this stream may start, if it was launched so.
__device__ inline void let_next_launch_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
/// Waits until the launch before has ended, so that what comes after this one need not.
__device__ inline void await_previous_launch() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// How the warps that walk for groups know that the cells above are done.
class CellsAbove {
 public:
  /// `done` [cells] is 1 for each that is, `done_count` counts them up to `count`.
  __device__ CellsAbove(std::uint32_t* done, unsigned* done_count, unsigned count) : done_(done), done_count_(done_count), count_(count) {}

  /// Waits for `cell`, if it is one that is walked for.
  __device__ void wait(std::uint32_t cell, bool walked) {
    if (all_done_) return;
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> done_count(*done_count_);
    all_done_ = __all_sync(all_lanes, done_count.load(cuda::memory_order_relaxed) == count_);
    if (walked && !all_done_)
      wait_for(done_[cell], 0U);
    else
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
  }

 private:
  std::uint32_t* done_;
  unsigned* done_count_;
  unsigned count_;
  bool all_done_ = false;
};

/// Gives each block of a walk one of as many slots of memory as blocks can be resident at once. The launches of cells and groups overlap,
/// and memory for all blocks of both would be twice as much. The first blocks get new slots. A later block can only be resident because
/// another has left; it gets the next slot that was returned. All threads of a block construct and destroy it together.
class BlockSlot {
 public:
  /// Counts begin at zero, `returned` [count] at no_slot.
  __device__ BlockSlot(unsigned& lent_count, unsigned& returned_count, unsigned* returned, unsigned count)
      : returned_count_(returned_count), returned_(returned), count_(count) {
    __shared__ unsigned found;
    if (threadIdx.x == 0) {
      const unsigned ticket = atomicAdd(&lent_count, 1U);
      found = ticket;
      if (ticket >= count) {
        const cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(returned[ticket - count]);
        while ((found = next.load(cuda::memory_order_acquire)) == no_slot) __nanosleep(100);
      }
    }
    __syncthreads();
    slot_ = found;
  }
  __device__ ~BlockSlot() {
    __syncthreads();
    if (threadIdx.x != 0) return;
    const unsigned slot = atomicAdd(&returned_count_, 1U);
    // No more blocks come later than there are slots.
    if (slot < count_) cuda::atomic_ref<unsigned, cuda::thread_scope_device>(returned_[slot]).store(slot_, cuda::memory_order_release);
  }
  BlockSlot(const BlockSlot&) = delete;
  BlockSlot& operator=(const BlockSlot&) = delete;

  __device__ unsigned number() const { return slot_; }

 private:
  static constexpr unsigned no_slot = ~0U;

  unsigned& returned_count_;
  unsigned* returned_;
  unsigned count_, slot_;
};

}  // namespace grove::fmm_walk
