// A SIMD vector of floats, as wide as the CPU that the code is compiled for has them, with the operations that interaction.hpp needs. A
// type of our own around the compiler's vectors, so that `select` and `reciprocal_sqrt` are found for it as they are for float.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <cmath>
#endif

namespace grove {

class FloatVector {
 public:
#if defined(__AVX512F__)
  static constexpr int width = 16;
#elif defined(__AVX__)
  static constexpr int width = 8;
#else
  static constexpr int width = 4;
#endif
  static constexpr std::size_t alignment = width * sizeof(float);
  using Native __attribute__((vector_size(alignment))) = float;
  using Mask = decltype(Native{} < Native{});

  FloatVector() = default;
  explicit FloatVector(float x) : v_(broadcast(x)) {}
  explicit FloatVector(int x) : v_(broadcast(static_cast<float>(x))) {}

  static FloatVector load(const float* aligned) { return FloatVector(*reinterpret_cast<const Aliasing*>(aligned)); }
  void store(float* aligned) const { *reinterpret_cast<Aliasing*>(aligned) = v_; }

  FloatVector& operator+=(FloatVector b) { return *this = *this + b; }
  FloatVector& operator-=(FloatVector b) { return *this = *this - b; }
  friend FloatVector operator+(FloatVector a, FloatVector b) { return FloatVector(a.v_ + b.v_); }
  friend FloatVector operator-(FloatVector a, FloatVector b) { return FloatVector(a.v_ - b.v_); }
  friend FloatVector operator-(FloatVector a) { return FloatVector(-a.v_); }
  friend FloatVector operator*(FloatVector a, FloatVector b) { return FloatVector(a.v_ * b.v_); }
  friend Mask operator>(FloatVector a, FloatVector b) { return a.v_ > b.v_; }
  friend Mask operator<(FloatVector a, FloatVector b) { return a.v_ < b.v_; }
  friend Mask operator==(FloatVector a, FloatVector b) { return a.v_ == b.v_; }

  friend FloatVector select(Mask condition, FloatVector yes, FloatVector no) { return FloatVector(condition ? yes.v_ : no.v_); }
  friend float smallest_of(FloatVector x) {
    float smallest = x.v_[0];
    for (int l = 1; l < width; ++l) smallest = x.v_[l] < smallest ? x.v_[l] : smallest;
    return smallest;
  }
  /// To 2^-22; 0 for infinity, undefined below the smallest normal number. A division and a root take several times as long as an estimate
  /// and one step of Newton's method.
  friend FloatVector reciprocal_sqrt(FloatVector x) {
#if defined(__x86_64__)
    const Native y = estimate(x.v_), half = lesser(0.5F * x.v_, broadcast(1e38F));
    return FloatVector(y + y * (0.5F - (half * y) * y));
#else
    Native y;
    for (int l = 0; l < width; ++l) y[l] = 1.0F / std::sqrt(x.v_[l]);
    return FloatVector(y);
#endif
  }

 private:
  using Aliasing __attribute__((vector_size(alignment), may_alias)) = float;

  explicit FloatVector(Native v) : v_(v) {}

#if defined(__AVX512F__)
  static Native broadcast(float x) { return _mm512_set1_ps(x); }
  static Native lesser(Native a, Native b) { return _mm512_min_ps(a, b); }
  static Native estimate(Native x) { return _mm512_rsqrt14_ps(x); }
#elif defined(__AVX__)
  static Native broadcast(float x) { return _mm256_set1_ps(x); }
  static Native lesser(Native a, Native b) { return _mm256_min_ps(a, b); }
  static Native estimate(Native x) { return _mm256_rsqrt_ps(x); }
#elif defined(__x86_64__)
  static Native broadcast(float x) { return _mm_set1_ps(x); }
  static Native lesser(Native a, Native b) { return _mm_min_ps(a, b); }
  static Native estimate(Native x) { return _mm_rsqrt_ps(x); }
#else
  static Native broadcast(float x) { return Native{} + x; }
#endif

  Native v_;
};

}  // namespace grove
