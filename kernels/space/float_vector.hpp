// A SIMD vector of floats, as wide as the target CPU has them, with the operations that interaction.hpp needs. A type of our own around
// std::experimental::simd, so that `select` and `reciprocal_sqrt` are found for it as they are for float.
#pragma once

#include <experimental/simd>

namespace grove {

class FloatVector {
 public:
  using Native = std::experimental::native_simd<float>;
  using Mask = Native::mask_type;
  static constexpr int width = static_cast<int>(Native::size());
  static constexpr std::size_t alignment = std::experimental::memory_alignment_v<Native>;

  FloatVector() = default;
  explicit FloatVector(float x) : v_(x) {}
  explicit FloatVector(int x) : v_(static_cast<float>(x)) {}
  explicit FloatVector(Native v) : v_(v) {}

  static FloatVector load(const float* aligned) { return FloatVector(Native(aligned, std::experimental::vector_aligned)); }
  void store(float* aligned) const { v_.copy_to(aligned, std::experimental::vector_aligned); }

  FloatVector& operator+=(FloatVector b) { return *this = *this + b; }
  FloatVector& operator-=(FloatVector b) { return *this = *this - b; }
  friend FloatVector operator+(FloatVector a, FloatVector b) { return FloatVector(a.v_ + b.v_); }
  friend FloatVector operator-(FloatVector a, FloatVector b) { return FloatVector(a.v_ - b.v_); }
  friend FloatVector operator-(FloatVector a) { return FloatVector(-a.v_); }
  friend FloatVector operator*(FloatVector a, FloatVector b) { return FloatVector(a.v_ * b.v_); }
  friend Mask operator>(FloatVector a, FloatVector b) { return a.v_ > b.v_; }
  friend Mask operator<(FloatVector a, FloatVector b) { return a.v_ < b.v_; }
  friend Mask operator==(FloatVector a, FloatVector b) { return a.v_ == b.v_; }

  friend FloatVector select(Mask condition, FloatVector yes, FloatVector no) {
    std::experimental::where(condition, no.v_) = yes.v_;
    return no;
  }
  friend float smallest_of(FloatVector x) { return std::experimental::hmin(x.v_); }
  friend FloatVector reciprocal_sqrt(FloatVector x) { return FloatVector(1.0F / std::experimental::sqrt(x.v_)); }

 private:
  Native v_;
};

}  // namespace grove
