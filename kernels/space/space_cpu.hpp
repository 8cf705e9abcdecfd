// The parallel layer on the CPU: OpenMP loops, and the sort of libstdc++'s OpenMP parallel mode. Included through space.hpp.
#pragma once

#include <omp.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/space/device_state.hpp"
#include "kernels/space/memory.hpp"
#include "kernels/space/row.hpp"
#include "kernels/space/serial_team.hpp"

namespace grove {

class HostSpace {
 public:
  using Stamp = std::chrono::steady_clock::time_point;
  using HostMemory = HostSpace;
  /// A result that is ready.
  template <class T>
  class Later {
   public:
    explicit Later(const T& value) : value_(value) {}
    const T& get() { return value_; }

   private:
    T value_;
  };
  static constexpr bool on_gpu = false;

  HostSpace() : arena_(*this) {}
  HostSpace(const HostSpace&) = delete;
  HostSpace& operator=(const HostSpace&) = delete;
  std::unique_ptr<HostSpace> another() const { return std::make_unique<HostSpace>(); }

  /// Memory aligned to 64 bytes. Throws SystemError when memory is short.
  void* allocate(std::size_t bytes);
  void deallocate(void* data, std::size_t bytes) noexcept;
  std::string description() const;
  DeviceState state() const { return {description(), "", 0, 0}; }
  std::size_t bytes_held() const { return bytes_held_; }
  std::size_t most_bytes_held() const { return most_bytes_held_; }
  void restart_most_bytes_held() { most_bytes_held_ = bytes_held_; }
  Arena<HostSpace>& arena() { return arena_; }
  HostSpace& host_memory() { return *this; }

  /// The two must not overlap.
  void copy(void* to, const void* from, std::size_t bytes) {
    constexpr std::size_t block = std::size_t{1} << 18;
    const auto blocks = static_cast<std::int64_t>((bytes + block - 1) / block);
#pragma omp parallel for schedule(static) if (blocks > 1)
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::size_t first = static_cast<std::size_t>(b) * block;
      std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first, std::min(block, bytes - first));
    }
  }
  void fill_bytes(void* to, int value, std::size_t bytes) {
    if (bytes) std::memset(to, value, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
  void copy_from_host(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
  void copy_to_host_async(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
  void copy_from_host_async(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
  void copy_async(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
  void order_copies_after_work() {}
  void order_after_copies() {}
  void wait_for_copies() {}
  void synchronize() {}

  void begin_stamps() {}
  Stamp stamp() { return std::chrono::steady_clock::now(); }
  double seconds_between(Stamp a, Stamp b) { return std::chrono::duration<double>(b - a).count(); }

  template <unsigned threads = 0, class F>
  void for_each(std::size_t n, F f) {
    for_each_in_parallel(n, n > enough_items, f);
  }

  template <int lanes = standard_team, class F>
  void for_each_by_team(std::size_t n, F f) {
    for_each_in_parallel(n, n * lanes > enough_items, [f](std::size_t i) { f(SerialTeam{}, i); });
  }

  template <class T, class F, class Op>
  T transform_reduce(std::size_t n, T nothing, F f, Op op) {
    const std::size_t blocks = (n + reduce_block - 1) / reduce_block;
    std::vector<T> partial(blocks, nothing);
#pragma omp parallel for schedule(static) if (blocks > 1)
    for (std::int64_t b = 0; b < static_cast<std::int64_t>(blocks); ++b) {
      const std::size_t first = static_cast<std::size_t>(b) * reduce_block;
      T sum = f(first);
      for (std::size_t i = first + 1; i < std::min(n, first + reduce_block); ++i) sum = op(sum, f(i));
      partial[static_cast<std::size_t>(b)] = sum;
    }
    T result = nothing;
    for (const T& p : partial) result = op(result, p);
    return result;
  }

  template <class T, int count, class F, class Op>
  Row<T, count> reduce_rows(std::size_t n, const Row<T, count>& nothing, F f, Op op) {
    return transform_reduce(n, nothing, f, [op](const Row<T, count>& a, const Row<T, count>& b) { return join(a, b, op); });
  }

  template <class T, int count, class F, class Op>
  Later<Row<T, count>> reduce_rows_later(std::size_t n, const Row<T, count>& nothing, F f, Op op) {
    return Later<Row<T, count>>(reduce_rows(n, nothing, f, op));
  }

  template <class T>
  Later<T> copy_to_host_later(const T* from) {
    return Later<T>(*from);
  }

  template <class T, class F>
  void values_to_host(std::size_t n, F f, T* to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = f(i);
  }

  template <class T>
  void exclusive_scan(View<const T> in, View<T> out) {
    const std::size_t n = in.size;
    const auto blocks = static_cast<std::int64_t>((n + scan_block - 1) / scan_block);
    std::vector<T> offset(static_cast<std::size_t>(blocks) + 1, T{});
#pragma omp parallel for schedule(static) if (blocks > 1)
    for (std::int64_t b = 0; b < blocks; ++b) {
      T sum{};
      for (std::size_t i = block_begin(b); i < std::min(n, block_begin(b + 1)); ++i) sum += in[i];
      offset[static_cast<std::size_t>(b) + 1] = sum;
    }
    for (std::size_t b = 1; b < offset.size(); ++b) offset[b] += offset[b - 1];
#pragma omp parallel for schedule(static) if (blocks > 1)
    for (std::int64_t b = 0; b < blocks; ++b) {
      T sum = offset[static_cast<std::size_t>(b)];
      for (std::size_t i = block_begin(b); i < std::min(n, block_begin(b + 1)); ++i) {
        const T value = in[i];
        out[i] = sum;
        sum += value;
      }
    }
    out[n] = offset.back();
  }

  void sort_pairs(View<std::uint64_t> keys, View<std::uint32_t> values, int bits, KeyOrder order = KeyOrder::any);

 private:
  static constexpr std::size_t enough_items = 1024;  ///< for several threads; an item of a team counts once for each lane

  template <class F>
  void for_each_in_parallel(std::size_t n, bool in_parallel, F f) {
    const auto count = static_cast<std::int64_t>(n);
#pragma omp parallel for schedule(static) if (in_parallel)
    for (std::int64_t i = 0; i < count; ++i) f(static_cast<std::size_t>(i));
  }

  // Block lengths are constants, so that sums do not depend on the number of threads.
  static constexpr std::size_t reduce_block = 4096;
  static constexpr std::size_t scan_block = 16384;
  static std::size_t block_begin(std::int64_t b) { return static_cast<std::size_t>(b) * scan_block; }

  std::size_t bytes_held_ = 0, most_bytes_held_ = 0;
  Arena<HostSpace> arena_;
};

}  // namespace grove
