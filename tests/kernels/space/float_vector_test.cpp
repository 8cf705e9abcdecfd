// SIMD vectors of floats against single floats.
#include "kernels/space/float_vector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace grove {

namespace {

/// A vector whose lane l holds value(l).
template <class F>
FloatVector vector_of(F value) {
  alignas(FloatVector::alignment) float lane[FloatVector::width];
  for (int l = 0; l < FloatVector::width; ++l) lane[l] = value(l);
  return FloatVector::load(lane);
}

float lane_of(FloatVector v, int l) {
  alignas(FloatVector::alignment) float lane[FloatVector::width];
  v.store(lane);
  return lane[l];
}

TEST(FloatVector, ComputesEachLaneByItself) {
  const auto a = [](int l) { return 1.5F * static_cast<float>(l) - 2; };
  const auto b = [](int l) { return 3 - static_cast<float>(l * l); };
  const FloatVector x = vector_of(a), y = vector_of(b);
  for (int l = 0; l < FloatVector::width; ++l) {
    EXPECT_EQ(lane_of(x + y, l), a(l) + b(l));
    EXPECT_EQ(lane_of(x - y, l), a(l) - b(l));
    EXPECT_EQ(lane_of(x * y, l), a(l) * b(l));
    EXPECT_EQ(lane_of(-x, l), -a(l));
    EXPECT_EQ(lane_of(select(x < y, x, y), l), std::min(a(l), b(l)));
    EXPECT_EQ(lane_of(select(x > y, x, y), l), std::max(a(l), b(l)));
    EXPECT_EQ(lane_of(select(x == FloatVector(a(1)), FloatVector(7), y), l), l == 1 ? 7 : b(l));
  }
  EXPECT_EQ(smallest_of(y), b(FloatVector::width - 1));
}

TEST(FloatVector, ComparesLanesIntoBits) {
  const FloatVector x = vector_of([](int l) { return static_cast<float>(l % 3) - 1; });
  unsigned below = 0, not_above = 0;
  for (int l = 0; l < FloatVector::width; ++l) {
    below |= (l % 3 < 1 ? 1U : 0U) << l;
    not_above |= (l % 3 < 2 ? 1U : 0U) << l;
  }
  EXPECT_EQ(FloatVector::bits_of(x < FloatVector(0)), below);
  EXPECT_EQ(FloatVector::bits_of(x <= FloatVector(0)), not_above);
  EXPECT_EQ(FloatVector::bits_of(x < x), 0U);
}

TEST(FloatVector, HasTheLargerTheSizeAndTheRoot) {
  const auto a = [](int l) { return 1.5F * static_cast<float>(l) - 2; };
  const FloatVector x = vector_of(a);
  for (int l = 0; l < FloatVector::width; ++l) {
    EXPECT_EQ(lane_of(larger(x, FloatVector(1)), l), std::max(a(l), 1.0F));
    EXPECT_EQ(lane_of(absolute(x), l), std::abs(a(l)));
    EXPECT_EQ(lane_of(square_root(absolute(x)), l), std::sqrt(std::abs(a(l))));
  }
}

TEST(FloatVector, LoadsFromAnyPlace) {
  alignas(FloatVector::alignment) float number[FloatVector::width + 1];
  for (int l = 0; l <= FloatVector::width; ++l) number[l] = static_cast<float>(l);
  EXPECT_EQ(lane_of(FloatVector::load_unaligned(number + 1), FloatVector::width - 1), static_cast<float>(FloatVector::width));
}

TEST(FloatVector, ReciprocalRootIsRightTo22Bits) {
  double worst = 0;
  for (int step = 0; step < 200000; ++step) {
    const auto x = static_cast<float>(std::exp(-80 + step * 8e-4));
    const double y = lane_of(reciprocal_sqrt(FloatVector(x)), step % FloatVector::width);
    worst = std::max(worst, std::abs(y * std::sqrt(static_cast<double>(x)) - 1));
  }
  EXPECT_LT(worst, 0x1p-22);
}

TEST(FloatVector, ReciprocalRootOfInfinityIsZero) {
  EXPECT_EQ(lane_of(reciprocal_sqrt(FloatVector(std::numeric_limits<float>::infinity())), 0), 0);
}

}  // namespace

}  // namespace grove
