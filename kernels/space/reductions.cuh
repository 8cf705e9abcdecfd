// Reductions on an NVIDIA GPU, and values that the GPU writes to the host: the kernels of CudaSpace::reduce_rows(), values_to_host() and
// copy_to_host_later().
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "kernels/space/loops.cuh"
#include "kernels/space/row.hpp"

namespace grove::detail {

constexpr unsigned reduce_threads = 256;

/// An item as words, for exchanges between lanes.
template <class T>
struct LaneWords {
  static_assert(sizeof(T) % sizeof(unsigned) == 0 && std::is_trivially_copyable_v<T>);
  static constexpr int count = sizeof(T) / sizeof(unsigned);
  unsigned word[count];

  __device__ LaneWords() = default;
  __device__ explicit LaneWords(const T& item) { memcpy(word, &item, sizeof(T)); }
  __device__ T item() const {
    T made;
    memcpy(&made, word, sizeof(T));
    return made;
  }
};

/// Reads an item that another block of the same launch has written.
template <class T>
__device__ T written_elsewhere(const T* at) {
  using Word = std::conditional_t<alignof(T) % alignof(unsigned long long) == 0, unsigned long long, unsigned>;
  static_assert(sizeof(T) % sizeof(Word) == 0 && alignof(T) >= alignof(Word));
  alignas(T) Word words[sizeof(T) / sizeof(Word)];
#pragma unroll
  for (unsigned w = 0; w < sizeof(T) / sizeof(Word); ++w) words[w] = __ldcg(reinterpret_cast<const Word*>(at) + w);
  return *reinterpret_cast<const T*>(words);
}

/// A word on the host that the GPU sets to `value` when the result is ready.
struct Mark {
  unsigned* word;
  unsigned value;

  /// Earlier writes of this thread are visible as well.
  __device__ void set() const {
    __threadfence_system();
    *static_cast<volatile unsigned*>(word) = value;
  }
};

/// Blocks of a reduction, for few and for many items.
constexpr std::size_t few_reduce_blocks = 256, many_reduce_blocks = 1024, many_items_to_reduce = std::size_t{1} << 22;

/// The parts of a row that a lane holds while its warp reduces the rows of all lanes.
struct PartsHeld {
  int first, count;  ///< none if count < 1; then the values of the lane are unused
};

/// How often `count` parts can be halved until one is left.
constexpr int halvings(int count) { return count > 1 ? 1 + halvings((count + 1) / 2) : 0; }

/// Reduces the rows of the lanes of a warp. In each pair of lanes, one keeps the first half of the parts and the other the second half,
/// until only row[0] is left. From twelve parts on, this needs a fifth of the exchanges and sums of whole rows.
template <int count, int distance = 16, class T, class Op>
__device__ void reduce_in_warp(T* row, Op op, PartsHeld& held) {
  if constexpr (distance > 0) {
    constexpr int half = (count + 1) / 2;
    const bool is_upper = (threadIdx.x & distance) != 0;
#pragma unroll
    for (int j = 0; j < half; ++j) {
      const LaneWords<T> low(row[j]), high(row[half + j < count ? half + j : j]);
      LaneWords<T> of_lower, of_upper;  // the part that this lane keeps, from both lanes
#pragma unroll
      for (int w = 0; w < LaneWords<T>::count; ++w) {
        const unsigned own = is_upper ? high.word[w] : low.word[w];
        const unsigned other = __shfl_xor_sync(~0U, is_upper ? low.word[w] : high.word[w], distance);
        of_lower.word[w] = is_upper ? other : own;
        of_upper.word[w] = is_upper ? own : other;
      }
      row[j] = op(held.first + j + (is_upper && count > 1 ? half : 0), of_lower.item(), of_upper.item());
    }
    if constexpr (count > 1) {
      held.first += is_upper ? half : 0;
      held.count = is_upper ? held.count - half : held.count < half ? held.count : half;
    }
    reduce_in_warp<half, distance / 2>(row, op, held);
  }
}

/// Reduces the rows of all threads of a block. Thread k gets part k. `of_warps`: room for a row of each warp.
template <class T, int count, class Op>
__device__ T reduce_in_block(Row<T, count> row, Op op, T* of_warps) {
  static_assert(0 < count && count <= 32);
  constexpr int warps = reduce_threads / 32;
  const int t = static_cast<int>(threadIdx.x);
  PartsHeld held{0, count};
  reduce_in_warp<count>(row.part, op, held);
  // Several lanes may hold the same part.
  if (held.count > 0 && t % (32 >> halvings(count)) == 0) of_warps[t / 32 * count + held.first] = row.part[0];
  __syncthreads();
  if (t >= count) return row.part[0];
  T part[warps];
#pragma unroll
  for (int w = 0; w < warps; ++w) part[w] = of_warps[w * count + t];
#pragma unroll
  for (int step = 1; step < warps; step *= 2)
#pragma unroll
    for (int w = 0; w < warps; w += 2 * step) part[w] = op(t, part[w], part[w + step]);
  return part[0];
}

/// Each block reduces its rows to partial[block]; the last block to finish reduces these to *result on the host. `blocks_done` is 0 before
/// and after.
template <class T, int count, class F, class Op>
__global__ void __launch_bounds__(reduce_threads)
    reduce_rows_kernel(std::size_t n, Row<T, count> nothing, F f, Op op, Row<T, count>* partial, unsigned* blocks_done,
                       Row<T, count>* result, Mark mark) {
  await_previous_launch();
  __shared__ alignas(T) unsigned char memory[reduce_threads / 32 * sizeof(Row<T, count>)];
  T* const of_warps = reinterpret_cast<T*>(memory);
  const unsigned t = threadIdx.x;
  Row<T, count> row = nothing;
  for (std::size_t i = std::size_t{blockIdx.x} * reduce_threads + t; i < n; i += std::size_t{gridDim.x} * reduce_threads)
    row = join(row, f(i), op);
  const T of_block = reduce_in_block(row, op, of_warps);
  if (t < count) {
    partial[blockIdx.x].part[t] = of_block;
    __threadfence();
  }
  __syncwarp();
  bool is_last = false;
  if (t == 0) {
    is_last = atomicInc(blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  if (!__syncthreads_or(is_last)) return;
  row = nothing;
  for (unsigned b = t; b < gridDim.x; b += reduce_threads) row = join(row, written_elsewhere(partial + b), op);
  const T of_all = reduce_in_block(row, op, of_warps);
  if (t < count) {
    result->part[t] = of_all;
    __threadfence_system();
  }
  __syncwarp();
  if (t == 0) mark.set();
}

template <class T>
struct ItemAt {
  const T* at;
  __device__ T operator()(std::size_t) const { return *at; }
};
template <class T, class F>
struct RowOfOne {
  F f;
  __device__ Row<T, 1> operator()(std::size_t i) const { return {{f(i)}}; }
};
template <class Op>
struct OpOfOne {
  Op op;
  template <class T>
  __device__ T operator()(int, const T& a, const T& b) const {
    return op(a, b);
  }
};

/// One block writes f(0) to f(n - 1) to `to` on the host.
template <class T, class F>
__global__ void __launch_bounds__(for_each_threads) values_to_host_kernel(std::size_t n, F f, T* to, Mark mark) {
  await_previous_launch();
  for (std::size_t i = threadIdx.x; i < n; i += for_each_threads) to[i] = f(i);
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) mark.set();
}

}  // namespace grove::detail
