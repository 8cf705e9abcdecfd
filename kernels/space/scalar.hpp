// Small functions of numbers for both back ends.
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/space/host_device.hpp"

namespace grove {

GROVE_HD inline float select(bool condition, float yes, float no) { return condition ? yes : no; }
GROVE_HD inline double select(bool condition, double yes, double no) { return condition ? yes : no; }

GROVE_HD inline float absolute(float x) { return fabsf(x); }
GROVE_HD inline float square_root(float x) { return sqrtf(x); }

/// A constant as T: exact for double, otherwise rounded to FP32; in all lanes of a SIMD vector.
template <class T>
GROVE_HD constexpr T constant(double value) {
  if constexpr (std::is_same_v<T, double>)
    return value;
  else
    return T(static_cast<float>(value));
}

/// A run-time constant in both precisions, so that inner loops convert nothing.
struct Constant {
  double exact;
  float single;
  GROVE_HD explicit Constant(double value) : exact(value), single(static_cast<float>(value)) {}

  template <class T>
  GROVE_HD T as() const {
    if constexpr (std::is_same_v<T, double>)
      return exact;
    else
      return T(single);
  }
};

/// 1 / sqrt(x). In FP32 on the device with a relative error of 2^-22.9, and denormals as zero.
GROVE_HD inline float reciprocal_sqrt(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0F / std::sqrt(x);
#endif
}
GROVE_HD inline double reciprocal_sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return rsqrt(x);
#else
  return 1.0 / std::sqrt(x);
#endif
}

}  // namespace grove
