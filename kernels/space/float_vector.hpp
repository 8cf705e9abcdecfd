// A SIMD vector of floats with the width of the target CPU and the operations that interaction.hpp needs. It is a class, so that `select`
// and `reciprocal_sqrt` are found for it as for float.
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
  explicit FloatVector(Native v) : v_(v) {}
  explicit FloatVector(float x) : v_(broadcast(x)) {}
  explicit FloatVector(int x) : v_(broadcast(static_cast<float>(x))) {}

  Native native() const { return v_; }
  static FloatVector load(const float* aligned) { return FloatVector(*reinterpret_cast<const Aliasing*>(aligned)); }
  static FloatVector load_unaligned(const float* from) { return FloatVector(*reinterpret_cast<const Unaligned*>(from)); }
  void store(float* aligned) const { *reinterpret_cast<Aliasing*>(aligned) = v_; }

  FloatVector& operator+=(FloatVector b) { return *this = *this + b; }
  FloatVector& operator-=(FloatVector b) { return *this = *this - b; }
  friend FloatVector operator+(FloatVector a, FloatVector b) { return FloatVector(a.v_ + b.v_); }
  friend FloatVector operator-(FloatVector a, FloatVector b) { return FloatVector(a.v_ - b.v_); }
  friend FloatVector operator-(FloatVector a) { return FloatVector(-a.v_); }
  friend FloatVector operator*(FloatVector a, FloatVector b) { return FloatVector(a.v_ * b.v_); }
  friend Mask operator>(FloatVector a, FloatVector b) { return a.v_ > b.v_; }
  friend Mask operator<(FloatVector a, FloatVector b) { return a.v_ < b.v_; }
  friend Mask operator<=(FloatVector a, FloatVector b) { return a.v_ <= b.v_; }
  friend Mask operator==(FloatVector a, FloatVector b) { return a.v_ == b.v_; }

  friend FloatVector select(Mask condition, FloatVector yes, FloatVector no) { return FloatVector(condition ? yes.v_ : no.v_); }
  friend FloatVector larger(FloatVector a, FloatVector b) { return select(a < b, b, a); }
  friend FloatVector absolute(FloatVector x) { return larger(x, -x); }
  friend FloatVector square_root(FloatVector x) { return FloatVector(root(x.v_)); }
  friend float smallest_of(FloatVector x) {
    float smallest = x.v_[0];
    for (int l = 1; l < width; ++l) smallest = x.v_[l] < smallest ? x.v_[l] : smallest;
    return smallest;
  }
  /// Bit l is lane l of a comparison.
  static unsigned bits_of(Mask m) { return bits(m); }
  /// Relative error 2^-22; 0 for infinity, undefined below the smallest normal number. An estimate with one step of Newton's method is
  /// several times faster than division and root.
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
  using Unaligned __attribute__((vector_size(alignment), may_alias, aligned(sizeof(float)))) = float;

#if defined(__AVX512F__)
  static Native broadcast(float x) { return _mm512_set1_ps(x); }
  static Native lesser(Native a, Native b) { return _mm512_min_ps(a, b); }
  static Native estimate(Native x) { return _mm512_rsqrt14_ps(x); }
  static Native root(Native x) { return _mm512_sqrt_ps(x); }
  static unsigned bits(Mask m) { return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(m), reinterpret_cast<__m512i>(m)); }
#elif defined(__AVX__)
  static Native broadcast(float x) { return _mm256_set1_ps(x); }
  static Native lesser(Native a, Native b) { return _mm256_min_ps(a, b); }
  static Native estimate(Native x) { return _mm256_rsqrt_ps(x); }
  static Native root(Native x) { return _mm256_sqrt_ps(x); }
  static unsigned bits(Mask m) { return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<Native>(m))); }
#elif defined(__x86_64__)
  static Native broadcast(float x) { return _mm_set1_ps(x); }
  static Native lesser(Native a, Native b) { return _mm_min_ps(a, b); }
  static Native estimate(Native x) { return _mm_rsqrt_ps(x); }
  static Native root(Native x) { return _mm_sqrt_ps(x); }
  static unsigned bits(Mask m) { return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<Native>(m))); }
#else
  static Native broadcast(float x) { return Native{} + x; }
  static Native root(Native x) {
    for (int l = 0; l < width; ++l) x[l] = std::sqrt(x[l]);
    return x;
  }
  static unsigned bits(Mask m) {
    unsigned all = 0;
    for (int l = 0; l < width; ++l) all |= (m[l] != 0 ? 1U : 0U) << l;
    return all;
  }
#endif

  Native v_;
};

}  // namespace grove
