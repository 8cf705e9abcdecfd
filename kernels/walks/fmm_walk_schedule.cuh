// Which target a warp of the walk of `fmm` takes next, and how it knows that the list it starts from is ready.
//
// Target cells of all levels are in one launch. Warps draw numbers, and a cell has a higher number than the cell above it. So a warp that
// waits for a cell waits for one that another warp has already taken. Once the range of a cell's list is written, the list and the
// expansion of the cell are ready.
//
// With few cells for all warps, the chain of levels determines the time. Then lists come first: the range is written as soon as the list is
// ready, and the cell's mark (`done`) says when its expansion is ready. So cells need not wait for expansions before they test.
//
// Groups are a launch of their own. Its blocks start as the blocks of the cells end, because the last cells of a walk, deep in dense
// regions, keep few warps busy. A group waits for the mark of the cell above it until all cells are known to be done.
//
// If memory for a list is short, its range says so (no_memory). The cells and groups below are then passed over, and later launches walk
// them.
//
// With few targets for all warps, the slowest of them determines the time. Then the warps of a block are a team that walks for one target
// at a time: see WarpTeam. Teams that walk for all groups begin with those right below the highest target cells
// (FmmTargetView::high_groups), which have most of the work; the others follow in the order of the curve.
//
// Every loop in which a warp waits is left by a vote, so that the compiler sees that the lanes stay together. Otherwise it guards every
// exchange between lanes against lanes that have left, and the code becomes too large for the instruction cache.
#pragma once

#include <cuda/atomic>

#include "kernels/space/space.hpp"
#include "kernels/space/warp.cuh"
#include "kernels/walks/warp_team.cuh"

namespace grove::fmm_walk {

/// Values of FmmArguments::list_range that are not ranges.
inline constexpr std::uint64_t not_ready = ~std::uint64_t{0}, no_memory = not_ready - 1;

/// Waits until `word` is no longer `not_yet`, and returns it. The warp that writes it must have drawn a lower number of this launch, be of
/// an earlier launch (see let_next_launch_start()), or be this one: otherwise warps could wait for each other for ever.
template <class T>
__device__ T wait_for(T& word, T not_yet) {
  const cuda::atomic_ref<T, cuda::thread_scope_device> ready(word);
  while (__any_sync(all_lanes, ready.load(cuda::memory_order_relaxed) == not_yet)) __nanosleep(20);
  // Once at the end, not each time: it empties the first-level cache.
  return ready.load(cuda::memory_order_acquire);
}

/// Writes a word that others wait for, after all that this warp has written before.
template <class T>
__device__ void publish(T& word, T value) {
  __syncwarp();
  if (threadIdx.x % warp_size == 0) cuda::atomic_ref<T, cuda::thread_scope_device>(word).store(value, cuda::memory_order_release);
}

/// The same, and adds 1 to a counter.
template <class T>
__device__ void publish_and_count(T& word, T value, unsigned& counter) {
  __syncwarp();
  if (threadIdx.x % warp_size != 0) return;
  // One fence for both: it waits until all has been written.
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
  cuda::atomic_ref<T, cuda::thread_scope_device>(word).store(value, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(counter).fetch_add(1, cuda::memory_order_relaxed);
}

/// From here on blocks of the next launch of this stream may start, if it was launched so. They do once all blocks of this one have come
/// here: so those of an earlier launch are all on the card, and get on, when blocks of a later one wait for them.
__device__ inline void let_next_launch_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// How the warps that walk for groups know that the cells above are done.
class CellsAbove {
 public:
  /// `done` [cells] is 1 for each cell that is done. `done_count` is their number, and `count` that of all cells.
  __device__ CellsAbove(std::uint32_t* done, unsigned* done_count, unsigned count) : done_(done), done_count_(done_count), count_(count) {}

  /// Waits until `cell` is done, if it is `walked` at all.
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

/// Value of FmmArguments::slots_returned where none has been returned.
inline constexpr unsigned no_slot = ~0U;

/// Lends each block of a walk one slot of memory. There are as many slots as blocks can be resident at once. The launches of cells and
/// groups overlap, and memory for all blocks of both would be twice as much. The first blocks get new slots. A later block can only be
/// resident because another block has left; it gets the next slot that was returned. Blocks take their turn before they let the next launch
/// start, so that a block never waits for the slot of one of a later launch. All threads of a block construct and destroy it together.
class BlockSlot {
 public:
  /// Counts begin at zero, `returned` [count] at no_slot. `count`: slots, and most blocks of a launch.
  /// `lets_next_start`: the block calls let_next_launch_start().
  __device__ BlockSlot(unsigned& lent_count, unsigned& returned_count, unsigned* returned, unsigned count, bool lets_next_start)
      : returned_count_(returned_count), returned_(returned), count_(count) {
    __shared__ unsigned found;
    if (threadIdx.x == 0) {
      const unsigned ticket = atomicAdd(&lent_count, 1U);
      found = ticket;
      // The comparison, which always holds, waits until the ticket is there.
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
    // Only the blocks of the second launch, at most `count`, take a slot again.
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
