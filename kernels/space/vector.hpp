// Small vectors of doubles: positions, velocities, accelerations.
#pragma once

#include <cstdint>

#include "kernels/space/host_device.hpp"

namespace grove {

struct Double3 {
  double x = 0, y = 0, z = 0;
};

/// Position and mass, or acceleration and potential; loaded as two 16-byte words.
struct alignas(32) Double4 {
  double x = 0, y = 0, z = 0, w = 0;
};

struct alignas(16) Float4 {
  float x = 0, y = 0, z = 0, w = 0;
};

GROVE_HD inline Double3 operator+(const Double3& a, const Double3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
GROVE_HD inline Double3 operator-(const Double3& a, const Double3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
GROVE_HD inline Double3 operator*(double s, const Double3& a) { return {s * a.x, s * a.y, s * a.z}; }
GROVE_HD inline double dot(const Double3& a, const Double3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
GROVE_HD inline Double3 position_of(const Double4& p) { return {p.x, p.y, p.z}; }

/// Like std::min and std::max, for the device as well.
template <class T>
GROVE_HD constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
GROVE_HD constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

}  // namespace grove
