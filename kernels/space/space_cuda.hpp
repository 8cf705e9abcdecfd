// The parallel layer on an NVIDIA GPU: a stream for work and one for staging copies; CUB for scans and sorts. Included through space.hpp,
// by nvcc only.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/space/device_state.hpp"
#include "kernels/space/loops.cuh"
#include "kernels/space/memory.hpp"
#include "kernels/space/reductions.cuh"

namespace grove {

/// Throws SystemError with CUDA's text and advice if `code` is an error.
void check_cuda(cudaError_t code, const char* call);

/// `n` as an int for CUB and launches. Throws SystemError when it does not fit.
int cuda_count(std::size_t n);

/// Page-locked host memory, for asynchronous copies at full speed.
class PinnedMemory {
 public:
  void* allocate(std::size_t bytes);
  void deallocate(void* data, std::size_t bytes) noexcept;
  void copy(void* to, const void* from, std::size_t bytes);
  void synchronize() {}
};

class CudaSpace {
 public:
  using Stamp = cudaEvent_t;
  using HostMemory = PinnedMemory;
  static constexpr bool on_gpu = true;
  /// A result of work that may still run.
  template <class T>
  class Later {
   public:
    explicit Later(const T& value) : value_(value) {}
    /// `at`, on the host, holds the result once `mark` is set.
    Later(CudaSpace& space, const T* at, const detail::Mark& mark) : space_(&space), at_(at), mark_(mark) {}
    /// The first call waits for the result.
    const T& get() {
      if (!space_) return value_;
      space_->wait_for(mark_);
      value_ = *at_;
      space_ = nullptr;
      return value_;
    }

   private:
    T value_{};
    CudaSpace* space_ = nullptr;
    const T* at_ = nullptr;
    detail::Mark mark_{};
  };

  /// Uses device number `device`. Throws SystemError when it cannot.
  explicit CudaSpace(int device);
  CudaSpace(const CudaSpace&) = delete;
  CudaSpace& operator=(const CudaSpace&) = delete;
  ~CudaSpace();
  std::unique_ptr<CudaSpace> another() const { return std::make_unique<CudaSpace>(device_); }

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
  /// Whether a launch may start before the previous launch has ended (compute capability 9.0 and code for it).
  bool overlaps_launches() const { return overlaps_launches_; }

  void copy(void* to, const void* from, std::size_t bytes);
  void fill_bytes(void* to, int value, std::size_t bytes);
  void copy_to_host(void* to, const void* from, std::size_t bytes);
  void copy_from_host(void* to, const void* from, std::size_t bytes);

  /// Staging copies in order on a second stream; host memory must be pinned. order_copies_after_work() makes later copies wait for the work
  /// enqueued so far, order_after_copies() makes later work wait for the copies, wait_for_copies() blocks the host until they are done.
  void copy_to_host_async(void* to, const void* from, std::size_t bytes);
  void copy_from_host_async(void* to, const void* from, std::size_t bytes);
  void order_copies_after_work();
  void order_after_copies();
  void wait_for_copies();
  /// Between memory of this GPU and of another one that it can read.
  void copy_async(void* to, const void* from, std::size_t bytes);
  void synchronize();

  /// Reuses the events of stamps from before the second last call.
  void begin_stamps() {
    stamp_bank_ = (stamp_bank_ + 1) % stamp_banks;
    stamps_used_ = 0;
  }
  Stamp stamp();
  /// Synchronises with the later stamp.
  double seconds_between(Stamp a, Stamp b);

  template <unsigned threads = detail::for_each_threads, class F>
  void for_each(std::size_t n, F f) {
    if (n == 0) return;
    launch("for_each", (n + threads - 1) / threads, threads, detail::for_each_kernel<threads, F>, n, f);
  }

  template <int lanes = standard_team, class F>
  void for_each_by_team(std::size_t n, F f) {
    if (n == 0) return;
    using Team = CudaTeam<lanes>;
    constexpr std::size_t at_once = detail::for_each_threads / Team::size;
    launch("for_each_by_team", (n + at_once - 1) / at_once, detail::for_each_threads, detail::for_each_by_team_kernel<Team, F>, n, f);
  }

  template <class T, class F, class Op>
  T transform_reduce(std::size_t n, T nothing, F f, Op op) {
    return reduce_rows(n, Row<T, 1>{{nothing}}, detail::RowOfOne<T, F>{f}, detail::OpOfOne<Op>{op}).part[0];
  }

  template <class T, int count, class F, class Op>
  Row<T, count> reduce_rows(std::size_t n, const Row<T, count>& nothing, F f, Op op) {
    return reduce_rows_later(n, nothing, f, op).get();
  }

  template <class T, int count, class F, class Op>
  Later<Row<T, count>> reduce_rows_later(std::size_t n, const Row<T, count>& nothing, F f, Op op) {
    using Result = Row<T, count>;
    if (n == 0) return Later<Result>(nothing);
    const std::size_t most_blocks = n > detail::many_items_to_reduce ? detail::many_reduce_blocks : detail::few_reduce_blocks;
    const std::size_t blocks = std::min<std::size_t>((n + detail::reduce_threads - 1) / detail::reduce_threads, most_blocks);
    Scratch<CudaSpace, Result> partial(*this, blocks);
    const auto [to, mark] = next_place<Result>();
    launch("reduce_rows", blocks, detail::reduce_threads, detail::reduce_rows_kernel<T, count, F, Op>, n, nothing, f, op, partial.data(),
           blocks_done_, to, mark);
    return Later<Result>(*this, to, mark);
  }

  template <class T>
  Later<T> copy_to_host_later(const T* from) {
    const auto [to, mark] = next_place<T>();
    launch("copy to the host", 1, detail::for_each_threads, detail::values_to_host_kernel<T, detail::ItemAt<T>>, std::size_t{1},
           detail::ItemAt<T>{from}, to, mark);
    return Later<T>(*this, to, mark);
  }

  template <class T, class F>
  void values_to_host(std::size_t n, F f, T* to) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (n * sizeof(T) > small_copy) throw std::logic_error("values_to_host() takes few values");
    const detail::Mark mark = marks_.next();
    launch("values_to_host", 1, detail::for_each_threads, detail::values_to_host_kernel<T, F>, n, f, static_cast<T*>(small_copy_), mark);
    wait_for(mark);
    std::memcpy(to, small_copy_, n * sizeof(T));
  }

  /// T: std::uint32_t or std::uint64_t.
  template <class T>
  void exclusive_scan(View<const T> in, View<T> out);

  void sort_pairs(View<std::uint64_t> keys, View<std::uint32_t> values, int bits, KeyOrder order = KeyOrder::any);

 private:
  /// Launches a kernel that calls await_previous_launch(): its start overlaps with the end of the previous launch.
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

  /// Place and mark of the next result for which the host may wait later.
  template <class T>
  std::pair<T*, detail::Mark> next_place() {
    static_assert(sizeof(T) <= later_bytes && std::is_trivially_copyable_v<T>);
    later_turn_ = (later_turn_ + 1) % most_later;
    return {reinterpret_cast<T*>(later_ + later_turn_ * later_bytes), later_marks_[later_turn_].next()};
  }
  /// Waits for the result and so for all earlier work, some microseconds less than a synchronisation.
  void wait_for(const detail::Mark& mark);

  /// Up to this size, copies through host memory that the GPU writes are faster.
  static constexpr std::size_t small_copy = 4096;
  /// Most pending results (see Later), and room for each.
  static constexpr std::size_t most_later = 4, later_bytes = 512;

  /// A word on the host that marks each result in turn.
  struct Marks {
    unsigned* word = nullptr;
    unsigned count = 0;  ///< results so far
    detail::Mark next() { return {word, ++count}; }
  };

  static constexpr std::size_t stamp_banks = 3;

  /// Decides when nearly sorted keys are sorted by samples: not for a while after such a sort was slow.
  struct SortsBySamples {
    static constexpr unsigned fewest_others = 8, most_others = 512;
    unsigned* last_slow = nullptr;  ///< on the host: the number of the last sort that was slow
    unsigned number = 0;            ///< number of the present or last sort by samples
    bool last_was_one = false;      ///< the last sort of nearly sorted keys was by samples
    unsigned others_left = 0;       ///< radix sorts left to do
    unsigned others = fewest_others;

    bool serve();
  };

  int device_ = 0;
  int former_device_ = 0;  ///< of the thread before; the destructor makes it the current one again
  int multiprocessors_ = 1;
  bool overlaps_launches_ = false;
  bool reads_pageable_memory_ = false;
  std::size_t bytes_held_ = 0, most_bytes_held_ = 0;
  cudaStream_t stream_ = nullptr, copy_stream_ = nullptr;
  cudaEvent_t ordering_ = nullptr;
  std::vector<cudaEvent_t> events_[stamp_banks];
  std::size_t stamps_used_ = 0, stamp_bank_ = 0;
  void* small_copy_ = nullptr;  ///< [small_copy + most_later * later_bytes], on the host
  Marks marks_;                 ///< marks of results in the first small_copy bytes
  std::byte* later_ = nullptr;  ///< the bytes after them
  Marks later_marks_[most_later];
  std::size_t later_turn_ = 0;
  unsigned* blocks_done_ = nullptr;  ///< in the present reduction
  SortsBySamples samples_;
  PinnedMemory pinned_;
  Arena<CudaSpace> arena_;
};

}  // namespace grove
