// Functions of a whole warp: scans, reductions, and concatenated ranges.
#pragma once

#include <cstdint>

#include "kernels/space/vector.hpp"

namespace grove {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffffU;

__device__ inline std::uint32_t inclusive_scan(std::uint32_t value, int lane) {
  for (int d = 1; d < warp_size; d *= 2) {
    const std::uint32_t below = __shfl_up_sync(all_lanes, value, d);
    if (lane >= d) value += below;
  }
  return value;
}

/// The bits of a float as an integer of the same order, and back.
__device__ inline int ordered_bits(float value) {
  const int bits = __float_as_int(value);
  return bits ^ (bits >> 31 & 0x7fffffff);
}
__device__ inline float from_ordered_bits(int bits) { return __int_as_float(bits ^ (bits >> 31 & 0x7fffffff)); }
__device__ inline float reduce_min(float value) { return from_ordered_bits(__reduce_min_sync(all_lanes, ordered_bits(value))); }
__device__ inline float reduce_max(float value) { return from_ordered_bits(__reduce_max_sync(all_lanes, ordered_bits(value))); }

/// Starts a copy of 16 bytes to shared memory like __pipeline_memcpy_async(), but through the first-level cache, for data that other warps
/// of the multiprocessor read at about the same time.
__device__ inline void copy_async_by_way_of_l1(void* to_shared, const void* from) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(to_shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/// Ranges of consecutive numbers, one in each lane, concatenated.
class ConcatenatedRanges {
 public:
  /// The range of this lane is `count` numbers from `first` on.
  __device__ ConcatenatedRanges(std::uint32_t count, std::uint32_t first, int lane)
      : end_(inclusive_scan(count, lane)), begin_(end_ - count), shift_(first - begin_) {}

  __device__ std::uint32_t size() const { return __shfl_sync(all_lanes, end_, warp_size - 1); }

  /// The number at place `item`; undefined past the last place. All lanes must call it.
  __device__ std::uint32_t at(std::uint32_t item) const {
    int owner = 0;  // number of ranges that end at or before `item`
    for (int step = warp_size / 2; step > 0; step /= 2) {
      const std::uint32_t probe = __shfl_sync(all_lanes, end_, owner + step - 1);
      if (probe <= item) owner += step;
    }
    return __shfl_sync(all_lanes, shift_, owner) + item;
  }

  /// The number at place `first` + lane, or at the last place if that is smaller. Faster than at(), but only the last lanes may have empty
  /// ranges. All lanes must call it with the same `first`, which must be a place.
  __device__ std::uint32_t at_lane(std::uint32_t first, int lane) const {
    const bool is_empty = begin_ == end_;
    const std::uint32_t bit = begin_ - first;  // a large number for a range that begins before
    const unsigned begins_before = __ballot_sync(all_lanes, begin_ <= first && !is_empty);
    const unsigned begins_here = __reduce_or_sync(all_lanes, bit > 0 && bit < warp_size && !is_empty ? 1U << bit : 0);
    const int owner = __popc(begins_before) - 1 + __popc(begins_here & (all_lanes >> (warp_size - 1 - lane)));
    return __shfl_sync(all_lanes, shift_, owner) + smaller(first + lane, size() - 1);
  }

 private:
  std::uint32_t end_, begin_;  ///< places before the end and the begin of this lane's range
  std::uint32_t shift_;        ///< number minus place, in this lane's range
};

}  // namespace grove
