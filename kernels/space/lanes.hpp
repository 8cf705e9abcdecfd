// Floats that a back end processes together: a SIMD vector on the CPU; a single float on the GPU, where the threads of a warp are the
// lanes.
#pragma once

#include <cstdint>

#include "kernels/space/host_device.hpp"
#include "kernels/space/vector.hpp"
#if !defined(__CUDACC__)
#include "kernels/space/float_vector.hpp"
#endif

namespace grove {

#if defined(__CUDACC__)

using Lanes = float;
inline constexpr std::uint32_t lane_count = 1;

GROVE_HD inline float sum_of(float x) { return x; }
GROVE_HD inline float smallest_of(float x) { return x; }
GROVE_HD inline float lesser(float a, float b) { return fminf(a, b); }

/// Consecutive floats loaded together.
struct LoadedLanes {
  static constexpr std::uint32_t count = 4;
  float4 word;
  GROVE_HD Lanes operator[](std::uint32_t j) const { return j == 0 ? word.x : j == 1 ? word.y : j == 2 ? word.z : word.w; }
};
/// `from` is aligned to 16 bytes, on the CPU to a SIMD vector.
GROVE_HD inline LoadedLanes load_lanes(const float* from) { return {*reinterpret_cast<const float4*>(from)}; }

#else

using Lanes = FloatVector;
inline constexpr std::uint32_t lane_count = FloatVector::width;

inline float sum_of(FloatVector x) {
  alignas(FloatVector::alignment) float lane[lane_count];
  x.store(lane);
  float sum = 0;
  for (const float l : lane) sum += l;
  return sum;
}
inline FloatVector lesser(FloatVector a, FloatVector b) { return select(a < b, a, b); }

struct LoadedLanes {
  static constexpr std::uint32_t count = lane_count;
  FloatVector vector;
  FloatVector operator[](std::uint32_t) const { return vector; }
};
inline LoadedLanes load_lanes(const float* from) { return {FloatVector::load(from)}; }

#endif

}  // namespace grove
