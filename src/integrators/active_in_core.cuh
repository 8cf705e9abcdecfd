// The particles of the core that get forces in a sub-step, found by all blocks alike.
#pragma once

#include <cstdint>

#include "kernels/space/vector.hpp"
#include "kernels/space/warp.cuh"
#include "src/integrators/core_steps.hpp"

namespace grove {

/// Of a block.
constexpr unsigned threads_of_core = 512;

/// The particles of the core that get forces, in ascending order. Other blocks may already choose their next rungs: these are none that
/// would take a particle off the list, since a step of them begins now.
class ActiveInCore {
  static constexpr unsigned threads = threads_of_core, warps = threads / warp_size;

 public:
  struct Memory {
    std::uint32_t mask[most_in_core / warp_size], before[most_in_core / warp_size], of_warp[warps];
  };

  /// Those on this rung or finer ones; `are_all` says that no others are there. All threads of the block must call it.
  __device__ ActiveInCore(Memory& memory, const std::uint8_t* rung, std::uint32_t count, int coarsest, bool are_all)
      : memory_(memory), are_all_(are_all), words_(0), size_(count) {
    if (are_all) return;
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    words_ = (count + warp_size - 1) / warp_size;
    // Each thread looks at a run of words, each warp adds up those of its threads.
    const std::uint32_t a_thread = (words_ + threads - 1) / threads;
    const std::uint32_t first = smaller(threadIdx.x * a_thread, words_), end = smaller(first + a_thread, words_);
    std::uint32_t here = 0;
    for (std::uint32_t word = first; word < end; ++word) {
      const unsigned mask = active_of(rung, count, word, coarsest);
      memory_.mask[word] = mask;
      here += static_cast<std::uint32_t>(__popc(mask));
    }
    const std::uint32_t up_to = inclusive_scan(here, static_cast<int>(lane));
    if (lane == warp_size - 1) memory_.of_warp[warp] = up_to;
    __syncthreads();
    std::uint32_t before = up_to - here;
    size_ = 0;
    for (unsigned w = 0; w < warps; ++w) {
      if (w < warp) before += memory_.of_warp[w];
      size_ += memory_.of_warp[w];
    }
    for (std::uint32_t word = first; word < end; ++word) {
      memory_.before[word] = before;
      before += static_cast<std::uint32_t>(__popc(memory_.mask[word]));
    }
    __syncthreads();
  }

  __device__ std::uint32_t size() const { return size_; }
  /// Sets `target` to those from `number` on; behind the last one it is repeated. The same for all lanes of a warp.
  template <int count>
  __device__ void get(std::uint32_t number, std::uint32_t (&target)[count]) const {
    std::uint32_t word = 0;
    unsigned mask = 0;
    if (!are_all_) {
      for (std::uint32_t end = words_; end - word > 1;) {
        const std::uint32_t middle = (word + end) / 2;
        if (memory_.before[middle] <= number)
          word = middle;
        else
          end = middle;
      }
      mask = memory_.mask[word];
      for (std::uint32_t left = number - memory_.before[word]; left > 0; --left) mask &= mask - 1;
    }
#pragma unroll
    for (int k = 0; k < count; ++k) {
      if (k > 0 && number + k >= size_) {
        target[k] = target[k - 1];
        continue;
      }
      if (are_all_) {
        target[k] = number + k;
        continue;
      }
      while (mask == 0) mask = memory_.mask[++word];
      target[k] = word * warp_size + static_cast<std::uint32_t>(__ffs(static_cast<int>(mask))) - 1;
      mask &= mask - 1;
    }
  }

 private:
  /// Of the 32 particles of a word, a bit each.
  __device__ static unsigned active_of(const std::uint8_t* rung, std::uint32_t count, std::uint32_t word, int coarsest) {
    const std::uint32_t first = word * warp_size;
    unsigned mask = 0;
    if (first + warp_size > count) {
      for (std::uint32_t i = first; i < count; ++i) mask |= (rung[i] >= coarsest ? 1U : 0U) << (i - first);
      return mask;
    }
    const unsigned least = 0x01010101U * static_cast<unsigned>(coarsest);
    const uint4* const at = reinterpret_cast<const uint4*>(rung + first);
    const uint4 low = at[0], high = at[1];
    const unsigned four[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int k = 0; k < 8; ++k) mask |= ((__vcmpgeu4(four[k], least) & 0x01010101U) * 0x10204080U >> 28) << (4 * k);
    return mask;
  }

  Memory& memory_;
  bool are_all_;
  std::uint32_t words_, size_;
};

}  // namespace grove
