// The order in which warps of the walk of `fmm` take targets, and how a warp knows that the list it starts from is ready.
//
// Target cells of all levels are in one launch. Warps draw the numbers of target cells, and a cell has a higher number than the cell above
// it. So a warp only waits for cells that other warps have already taken. Once the range of a cell's list is written, the list and the
// expansion of the cell are ready.
//
// With few cells for each warp, the chain of levels determines the time. Then lists come first: the range is written as soon as the list is
// ready, and the cell's mark (`done`) says when its expansion is ready. So cells can test sources before expansions are ready.
//
// Groups have their own launch. Its blocks start as the blocks of the cells end, because the last cells of a walk, deep in dense regions,
// keep few warps busy. A group waits for the mark of the cell above it, until all cells are known to be done.
//
// If there is no memory for a list, its range is no_memory. The cells and groups below are then skipped, and later launches walk for them.
//
// With few targets for each warp, the slowest target determines the time. Then the warps of a block form a team that walks for one target
// at a time: see WarpTeam.
//
// Walks for all groups, with one softening length, begin with those that had much work in the last forces (FmmTargetView::slow_groups).
// The others follow in the order of the Morton curve.
//
// Every loop in which a warp waits ends with a vote, so that the compiler knows that the lanes stay together. Otherwise it would guard
// every later exchange between lanes against divergence, and the code would be too large for the instruction cache.
#pragma once

#include <cuda/atomic>

#include "kernels/space/space.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/warp_team.cuh"

namespace grove::fmm_walk {

/// Values of FmmArguments::list_range that are not ranges.
inline constexpr std::uint64_t not_ready = ~std::uint64_t{0}, no_memory = not_ready - 1;

/// Waits until `word` is no longer `not_yet`, and returns it. The warp that writes it must have drawn a lower number of this launch, belong
/// to an earlier launch (see let_next_launch_start()), or be this warp. Otherwise there could be a deadlock.
template <class T>
__device__ T wait_for(T& word, T not_yet) {
  const cuda::atomic_ref<T, cuda::thread_scope_device> ready(word);
  while (__any_sync(all_lanes, ready.load(cuda::memory_order_relaxed) == not_yet)) __nanosleep(20);
  // Acquires once at the end, not each time, because this invalidates the first-level cache.
  return ready.load(cuda::memory_order_acquire);
}

/// Writes a word that other warps wait for, after all earlier writes of this warp.
template <class T>
__device__ void publish(T& word, T value) {
  __syncwarp();
  if (threadIdx.x % warp_size == 0) cuda::atomic_ref<T, cuda::thread_scope_device>(word).store(value, cuda::memory_order_release);
}

/// The same; also adds 1 to a counter.
template <class T>
__device__ void publish_and_count(T& word, T value, unsigned& counter) {
  __syncwarp();
  if (threadIdx.x % warp_size != 0) return;
  // One fence for both, because it waits until all earlier writes are done.
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
  cuda::atomic_ref<T, cuda::thread_scope_device>(word).store(value, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(counter).fetch_add(1, cuda::memory_order_relaxed);
}

/// Lets blocks of the next launch in this stream start, if it was launched with that attribute. They start once all blocks of this launch
/// have called it. So when blocks of a later launch wait for an earlier launch, all blocks of that are resident and make progress.
__device__ inline void let_next_launch_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Tells warps that walk for groups whether the cells above are done.
class CellsAbove {
 public:
  /// `done` [cells] is 1 for each cell that is done. `done_count` is their number, and `count` the number of cells that are drawn.
  __device__ CellsAbove(std::uint32_t* done, unsigned* done_count, unsigned count) : done_(done), done_count_(done_count), count_(count) {}

  /// Waits until `cell` is done, if it is `walked`.
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

/// Value of FmmArguments::slots_returned before a slot is returned there.
inline constexpr unsigned no_slot = ~0U;

/// Gives each block of a walk a slot of scratch memory while it runs. There are as many slots as blocks can be resident at once. The
/// launches of cells and groups overlap; memory for all blocks of both would be twice as much. The first blocks get new slots. A later
/// block can only be resident because another block has ended, and gets the next slot that was returned. Blocks draw their ticket before
/// they let the next launch start, so a block never waits for a slot held by a block of a later launch. All threads of a block construct
/// and destroy it together.
class BlockSlot {
 public:
  /// Initially counts are zero, and `returned` [count] is no_slot. `count` is the number of slots, and the largest number of blocks in a
  /// launch. `lets_next_start`: the block calls let_next_launch_start().
  __device__ BlockSlot(unsigned& lent_count, unsigned& returned_count, unsigned* returned, unsigned count, bool lets_next_start)
      : returned_count_(returned_count), returned_(returned), count_(count) {
    __shared__ unsigned found;
    if (threadIdx.x == 0) {
      const unsigned ticket = atomicAdd(&lent_count, 1U);
      found = ticket;
      // The comparison is always true. It makes the thread wait until it has its ticket.
      if (lets_next_start && ticket != no_slot) let_next_launch_start();
      if (ticket >= count) {
        const cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(returned[ticket - count]);
        while ((found = next.load(cuda::memory_order_acquire)) == no_slot) __nanosleep(20);
      }
    }
    __syncthreads();
    slot_ = found;
  }
  __device__ ~BlockSlot() {
    __syncthreads();
    if (threadIdx.x != 0) return;
    const unsigned slot = atomicAdd(&returned_count_, 1U);
    // Only the blocks of the second launch, at most `count` of them, use a slot again.
    if (slot < count_) cuda::atomic_ref<unsigned, cuda::thread_scope_device>(returned_[slot]).store(slot_, cuda::memory_order_release);
  }
  BlockSlot(const BlockSlot&) = delete;
  BlockSlot& operator=(const BlockSlot&) = delete;

  __device__ unsigned number() const { return slot_; }

 private:
  unsigned& returned_count_;
  unsigned* returned_;
  unsigned count_, slot_;
};

}  // namespace grove::fmm_walk
