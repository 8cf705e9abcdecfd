// The parallel layer on an NVIDIA GPU: one stream for work, one for staging copies; CUB for scans and sorts.
// Included through space.hpp, by nvcc only.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/space/device_state.hpp"
#include "kernels/space/memory.hpp"

namespace grove {

/// Throws SystemError with CUDA's own text, and what to do, when `code` is an error.
void check_cuda(cudaError_t code, const char* call);

/// `n` as the int that CUB and launch configurations take; throws SystemError when it does not fit.
int cuda_count(std::size_t n);

/// Page-locked host memory. Copies between it and the device run at full speed and asynchronously.
class PinnedMemory {
 public:
  void* allocate(std::size_t bytes);
  void deallocate(void* data, std::size_t bytes) noexcept;
  void copy(void* to, const void* from, std::size_t bytes);
  void synchronize() {}
};

/// Some lanes of a warp, as many as a power of two: see SerialTeam.
template <int lanes>
class CudaTeam {
 public:
  static constexpr int size = lanes;
  __device__ int rank() const { return static_cast<int>(threadIdx.x % size); }
  template <class T>
  __device__ T sum(T x) const {
    return combine(x, [](T a, T b) { return a + b; });
  }
  template <class T>
  __device__ T smallest(T x) const {
    return combine(x, [](T a, T b) { return a < b ? a : b; });
  }
  template <class T>
  __device__ T largest(T x) const {
    return combine(x, [](T a, T b) { return a > b ? a : b; });
  }
  template <class T>
  __device__ T of_first(T x) const {
    return __shfl_sync(lanes_of_warp(), x, 0, size);
  }
  __device__ void synchronize() const { __syncwarp(lanes_of_warp()); }
  __device__ std::uint32_t votes(bool condition) const {
    return (__ballot_sync(lanes_of_warp(), condition) & lanes_of_warp()) >> first_lane();
  }

 private:
  template <class T, class Op>
  __device__ T combine(T x, Op op) const {
    for (int d = size / 2; d > 0; d /= 2) x = op(x, __shfl_xor_sync(lanes_of_warp(), x, d));
    return x;
  }
  __device__ static unsigned first_lane() { return threadIdx.x % 32 / size * size; }
  __device__ static unsigned lanes_of_warp() { return (~0U >> (32 - size)) << first_lane(); }
};

/// Waits until the previous launch of the stream has ended. Every kernel that may start before that calls it, also for later launches:
/// they wait for this one alone.
__device__ inline void await_previous_launch() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

namespace detail {
constexpr unsigned for_each_threads = 256;

template <class F>
__global__ void __launch_bounds__(for_each_threads) for_each_kernel(std::size_t n, F f) {
  await_previous_launch();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <class Team, class F>
__global__ void __launch_bounds__(for_each_threads) for_each_by_team_kernel(std::size_t n, F f) {
  await_previous_launch();
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / Team::size;
  if (i < n) f(Team{}, i);
}

constexpr unsigned reduce_threads = 256, most_reduce_blocks = 1024;

/// What the lane `distance` above has.
template <class T>
__device__ T from_lane_above(const T& x, unsigned distance) {
  static_assert(sizeof(T) % sizeof(unsigned) == 0 && alignof(T) >= alignof(unsigned) && std::is_trivially_copyable_v<T>);
  constexpr unsigned words = sizeof(T) / sizeof(unsigned);
  T got = x;
#pragma unroll
  for (unsigned w = 0; w < words; ++w) {
    unsigned word;
    memcpy(&word, reinterpret_cast<const unsigned char*>(&x) + w * sizeof(word), sizeof(word));
    word = __shfl_down_sync(~0U, word, distance);
    memcpy(reinterpret_cast<unsigned char*>(&got) + w * sizeof(word), &word, sizeof(word));
  }
  return got;
}

/// The sum over the first `count` lanes of a warp, in the first lane.
template <class T, class Op>
__device__ T sum_in_warp(T sum, unsigned count, Op op) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    const T other = from_lane_above(sum, distance);
    if (lane + distance < count) sum = op(sum, other);
  }
  return sum;
}

/// The sum over the first `count` threads of a block, in the first thread; the others pass any item. `of_warps` has room for an item of
/// each warp. Within warps the items go from register to register: in shared memory, large ones would lie in a few banks.
template <class T, class Op>
__device__ T sum_in_block(T sum, unsigned count, Op op, T* of_warps) {
  const unsigned t = threadIdx.x, warp = t / 32, before = warp * 32;
  sum = sum_in_warp(sum, count > before ? count - before : 0, op);
  if (t % 32 == 0) of_warps[warp] = sum;
  __syncthreads();
  const unsigned warps = (count + 31) / 32;
  if (warp == 0) sum = sum_in_warp(of_warps[t < warps ? t : 0], warps, op);
  return sum;
}

/// What another block of the same launch has written.
template <class T>
__device__ T written_elsewhere(const T* at) {
  static_assert(sizeof(T) % sizeof(unsigned) == 0 && alignof(T) >= alignof(unsigned));
  alignas(T) unsigned words[sizeof(T) / sizeof(unsigned)];
  for (unsigned w = 0; w < sizeof(T) / sizeof(unsigned); ++w) words[w] = __ldcg(reinterpret_cast<const unsigned*>(at) + w);
  return *reinterpret_cast<const T*>(words);
}

/// A word on the host, which the GPU sets to `value` once what the host waits for is there.
struct Mark {
  unsigned* word;
  unsigned value;

  /// What this thread has written before is there, too.
  __device__ void set() const {
    __threadfence_system();
    *static_cast<volatile unsigned*>(word) = value;
  }
};

/// One block sums partial(0) to partial(count - 1) into *result, which lies on the host; `of_warps` is as above.
template <class T, class Partial, class Op>
__device__ void sum_of_blocks(Partial partial, unsigned count, Op op, T* of_warps, T* result, Mark mark) {
  const unsigned t = threadIdx.x;
  T sum = partial(t < count ? t : 0);
  for (unsigned b = t + reduce_threads; b < count; b += reduce_threads) sum = op(sum, partial(b));
  sum = sum_in_block(sum, count < reduce_threads ? count : reduce_threads, op, of_warps);
  if (t != 0) return;
  *result = sum;
  mark.set();
}

/// Up to so many blocks, the one that is done last sums what all have summed; where there are more, a second launch does it sooner.
constexpr std::size_t most_blocks_of_one_launch = reduce_threads;
/// Up to so many items, these blocks do.
constexpr std::size_t most_items_of_one_launch = std::size_t{1} << 22;

/// Each block sums its items into partial[block]. Every block has at least one item. If `blocks_done` is given, which is 0 before and
/// after, the block that is done last goes on to *result.
template <class T, class F, class Op>
__global__ void __launch_bounds__(reduce_threads)
    reduce_kernel(std::size_t n, F f, Op op, T* partial, unsigned* blocks_done, T* result, Mark mark) {
  await_previous_launch();
  __shared__ alignas(T) unsigned char memory[reduce_threads / 32 * sizeof(T)];
  T* const of_warps = reinterpret_cast<T*>(memory);
  const std::size_t first = std::size_t{blockIdx.x} * reduce_threads, stride = std::size_t{gridDim.x} * reduce_threads;
  const unsigned t = threadIdx.x;
  const unsigned summed = n - first < reduce_threads ? static_cast<unsigned>(n - first) : reduce_threads;
  T sum = f(first + (t < summed ? t : 0));
  for (std::size_t i = first + t + stride; i < n; i += stride) sum = op(sum, f(i));
  sum = sum_in_block(sum, summed, op, of_warps);
  if (t == 0) partial[blockIdx.x] = sum;
  if (!blocks_done) return;
  bool is_last = false;
  if (t == 0) {
    __threadfence();
    is_last = atomicInc(blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  if (__syncthreads_or(is_last))
    sum_of_blocks([=](unsigned b) { return written_elsewhere(partial + b); }, gridDim.x, op, of_warps, result, mark);
}

/// One block writes f(0) to f(n - 1) to `to`, which lies on the host.
template <class T, class F>
__global__ void __launch_bounds__(for_each_threads) values_to_host_kernel(std::size_t n, F f, T* to, Mark mark) {
  await_previous_launch();
  for (std::size_t i = threadIdx.x; i < n; i += for_each_threads) to[i] = f(i);
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) mark.set();
}

template <class T, class Op>
__global__ void __launch_bounds__(reduce_threads) finish_reduce_kernel(const T* partial, unsigned count, Op op, T* result, Mark mark) {
  await_previous_launch();
  __shared__ alignas(T) unsigned char memory[reduce_threads / 32 * sizeof(T)];
  sum_of_blocks([=](unsigned b) { return partial[b]; }, count, op, reinterpret_cast<T*>(memory), result, mark);
}
}  // namespace detail

class CudaSpace {
 public:
  using Stamp = std::size_t;  ///< index of an event of this step
  using HostMemory = PinnedMemory;
  static constexpr bool on_gpu = true;

  /// Uses device number `device`; throws SystemError when it cannot.
  explicit CudaSpace(int device);
  CudaSpace(const CudaSpace&) = delete;
  CudaSpace& operator=(const CudaSpace&) = delete;
  ~CudaSpace();

  void* allocate(std::size_t bytes);
  void deallocate(void* data, std::size_t bytes) noexcept;
  std::string description() const;
  DeviceState state() const;
  std::size_t bytes_held() const { return bytes_held_; }
  std::size_t most_bytes_held() const { return most_bytes_held_; }
  void restart_most_bytes_held() { most_bytes_held_ = bytes_held_; }
  Arena<CudaSpace>& arena() { return arena_; }
  PinnedMemory& host_memory() { return pinned_; }
  cudaStream_t stream() const { return stream_; }
  cudaStream_t copy_stream() const { return copy_stream_; }
  int multiprocessors() const { return multiprocessors_; }
  /// Whether blocks of a launch may start before the previous launch has ended (compute capability 9.0 and up).
  bool overlaps_launches() const { return overlaps_launches_; }

  void copy(void* to, const void* from, std::size_t bytes);
  void fill_bytes(void* to, int value, std::size_t bytes);
  void copy_to_host(void* to, const void* from, std::size_t bytes);
  void copy_from_host(void* to, const void* from, std::size_t bytes);

  /// Staging copies on a second stream, one after the other; host memory must be pinned. order_copies_after_work() makes later copies wait
  /// for the work enqueued so far, order_after_copies() makes later work wait for the copies, wait_for_copies() blocks the host until they
  /// are done.
  void copy_to_host_async(void* to, const void* from, std::size_t bytes);
  void copy_from_host_async(void* to, const void* from, std::size_t bytes);
  void order_copies_after_work();
  void order_after_copies();
  void wait_for_copies();
  /// Memory of this GPU or of another one that it can read.
  void copy_async(void* to, const void* from, std::size_t bytes);
  void synchronize();

  /// Forgets earlier stamps, so that their events are used again.
  void begin_stamps() { stamps_used_ = 0; }
  Stamp stamp();
  /// Synchronises with the later stamp.
  double seconds_between(Stamp a, Stamp b);

  template <class F>
  void for_each(std::size_t n, F f) {
    if (n == 0) return;
    launch("for_each", (n + detail::for_each_threads - 1) / detail::for_each_threads, detail::for_each_threads, detail::for_each_kernel<F>,
           n, f);
  }

  template <int lanes = standard_team, class F>
  void for_each_by_team(std::size_t n, F f) {
    if (n == 0) return;
    using Team = CudaTeam<lanes>;
    constexpr std::size_t at_once = detail::for_each_threads / Team::size;
    launch("for_each_by_team", (n + at_once - 1) / at_once, detail::for_each_threads, detail::for_each_by_team_kernel<Team, F>, n, f);
  }

  template <class T, class F, class Op>
  T transform_reduce(std::size_t n, T init, F f, Op op) {
    if (n == 0) return init;
    const std::size_t most_blocks = n <= detail::most_items_of_one_launch ? detail::most_blocks_of_one_launch : detail::most_reduce_blocks;
    const std::size_t blocks = std::min<std::size_t>((n + detail::reduce_threads - 1) / detail::reduce_threads, most_blocks);
    static_assert(sizeof(T) <= small_copy && std::is_trivially_copyable_v<T>);
    Scratch<CudaSpace, T> partial(*this, blocks);
    auto* const result = static_cast<T*>(small_copy_);
    const detail::Mark mark = next_mark();
    const bool in_one_launch = blocks <= detail::most_blocks_of_one_launch;
    launch("transform_reduce", blocks, detail::reduce_threads, detail::reduce_kernel<T, F, Op>, n, f, op, partial.data(),
           in_one_launch ? blocks_done_ : nullptr, result, mark);
    if (!in_one_launch)
      launch("transform_reduce", 1, detail::reduce_threads, detail::finish_reduce_kernel<T, Op>, partial.data(),
             static_cast<unsigned>(blocks), op, result, mark);
    wait_for(mark);
    return op(init, *result);
  }

  template <class T, class F>
  void values_to_host(std::size_t n, F f, T* to) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (n * sizeof(T) > small_copy) throw std::logic_error("values_to_host() takes few values");
    const detail::Mark mark = next_mark();
    launch("values_to_host", 1, detail::for_each_threads, detail::values_to_host_kernel<T, F>, n, f, static_cast<T*>(small_copy_), mark);
    wait_for(mark);
    std::memcpy(to, small_copy_, n * sizeof(T));
  }

  /// T: std::uint32_t or std::uint64_t.
  template <class T>
  void exclusive_scan(View<const T> in, View<T> out);

  void sort_pairs(View<std::uint64_t> keys, View<std::uint32_t> values, int bits, KeyOrder order = KeyOrder::any);

 private:
  /// Launches a kernel that calls await_previous_launch(): its start takes place while the launch before it ends.
  template <class... Parameters, class... Arguments>
  void launch(const char* name, std::size_t blocks, unsigned threads, void (*kernel)(Parameters...), Arguments&&... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(cuda_count(blocks));
    config.blockDim = threads;
    config.stream = stream_;
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &overlap;
    config.numAttrs = overlaps_launches_ ? 1 : 0;
    check_cuda(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), name);
  }
  void sort_by_samples(View<std::uint64_t> keys, View<std::uint32_t> values, int bits);

  /// The mark of the next result that the GPU writes into small_copy_ itself.
  detail::Mark next_mark() { return {mark_, ++marks_}; }
  /// Waits for the result, and so for all work before: the host sees it some microseconds before the end of the kernel reaches it.
  void wait_for(const detail::Mark& mark);

  /// Bytes that reach the host sooner by way of memory that the GPU can write itself.
  static constexpr std::size_t small_copy = 4096;

  int device_ = 0;
  int multiprocessors_ = 1;
  bool overlaps_launches_ = false;
  bool reads_pageable_memory_ = false;
  std::size_t bytes_held_ = 0, most_bytes_held_ = 0;
  cudaStream_t stream_ = nullptr, copy_stream_ = nullptr;
  cudaEvent_t ordering_ = nullptr;
  std::vector<cudaEvent_t> events_;
  std::size_t stamps_used_ = 0;
  void* small_copy_ = nullptr;       ///< [small_copy], on the host
  unsigned* mark_ = nullptr;         ///< on the host: number of the last result that has reached it
  unsigned marks_ = 0;               ///< results asked for so far
  unsigned* blocks_done_ = nullptr;  ///< of the present reduction
  PinnedMemory pinned_;
  Arena<CudaSpace> arena_;
};

}  // namespace grove
