#include "kernels/gravity/local_expansion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace grove {
namespace {

template <class Terms>
class ParentLocal : public ::testing::Test {
 public:
  /// The force at the centre of an expansion of unit `unit`, at offset d from that of one of unit `from_unit`, of a mass at `source`.
  static Force<float> force(float from_unit, float unit, const Double3& source, const Double3& d) {
    float from[Terms::count] = {}, L[Terms::count] = {};
    add_cell_to_local<Terms>(
        NewtonKernel(0), static_cast<float>(-source.x), static_cast<float>(-source.y), static_cast<float>(-source.z), 1.0F,
        [](auto) { return 0.0F; }, from_unit, from_unit, from);
    add_parent_local<Terms>([&](auto n) { return from[n]; }, from_unit, static_cast<float>(d.x), static_cast<float>(d.y),
                            static_cast<float>(d.z), unit, L);
    Force<float> found;
    add_local_force<Terms>([&](auto n) { return L[n]; }, unit, 0.0F, 0.0F, 0.0F, found);
    return found;
  }
  static void expect_right(float from_unit, float unit, const Double3& source, const Double3& d) {
    SCOPED_TRACE(unit);
    const Double3 at = source - d;
    const double r = std::sqrt(dot(at, at)), strength = 1 / (r * r);
    const Force<float> found = force(from_unit, unit, source, d);
    EXPECT_NEAR(found.potential * r, 1, 5e-5);
    EXPECT_NEAR(found.x / strength, at.x / r, 1e-3);
    EXPECT_NEAR(found.y / strength, at.y / r, 1e-3);
    EXPECT_NEAR(found.z / strength, at.z / r, 1e-3);
  }
};
using AllForms = ::testing::Types<HarmonicTerms<4>, HarmonicTerms<5>, AllTerms<4>, AllTerms<5>>;
TYPED_TEST_SUITE(ParentLocal, AllForms);

TYPED_TEST(ParentLocal, IsRightForTargetsOfAnySizeBelow) {
  for (const float unit : {0.5F, 0x1p-10F, 0x1p-40F, 0x1p-60F}) this->expect_right(1, unit, {3, 4, 1}, {0.3, -0.2, 0.4});
}

TYPED_TEST(ParentLocal, KeepsAllTermsForTargetsThatReachFurther) {
  float from[TypeParam::count], L[TypeParam::count] = {};
  for (float& term : from) term = 1;
  add_parent_local<TypeParam>([&](auto n) { return from[n]; }, 1.0F, 0.0F, 0.0F, 0.0F, 4.0F, L);
  for (int n = 0; n < TypeParam::count; ++n) EXPECT_EQ(L[n], std::exp2(2 * (1 + TypeParam::term_of(n).order()))) << n;
}

TYPED_TEST(ParentLocal, IsRightForAPointInATinyCell) {
  // The unit of a point is 1.
  this->expect_right(0x1p-22F, 1, {1e-6, 2e-6, -1e-6}, {-3.2e-7, -1.4e-7, 4e-8});
  this->expect_right(0x1p-40F, 1, {1e-11, 2e-11, -1e-11}, {5e-13, -1e-12, 1e-12});
}

TYPED_TEST(ParentLocal, OfACellAtOnePointIsRightForTinyTargets) {
  // The unit of a point is 1, and its moments are zero.
  for (const float unit : {0x1p-20F, 0x1p-35F}) {
    const float x = 3 * unit, y = -5 * unit, z = 4 * unit, r = std::sqrt(x * x + y * y + z * z);
    float L[TypeParam::count] = {};
    add_cell_to_local<TypeParam>(
        NewtonKernel(0), -x, -y, -z, 0.5F, [](auto) { return 0.0F; }, 1.0F, unit, L);
    Force<float> found;
    add_local_force<TypeParam>([&](auto n) { return L[n]; }, unit, 0.0F, 0.0F, 0.0F, found);
    EXPECT_NEAR(found.potential * r, 0.5, 1e-6);
    EXPECT_NEAR(found.x * r * r, 0.5 * x / r, 1e-6);
  }
}

}  // namespace
}  // namespace grove
