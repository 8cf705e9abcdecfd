// What opening criteria take for the magnitude of an acceleration.
#include "kernels/particles/acceleration_measure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/gravity/gravity_law.hpp"

namespace grove {
namespace {

TEST(AccelerationMeasure, IsTheMagnitudeWhereForcesDoNotCancel) {
  // A point of mass 3 at distance 2, with G = 5.
  const double GM = 15, r = 2;
  const AccelerationMeasure measure{0.5, GM, 0};
  EXPECT_FLOAT_EQ(measure({0, -GM / (r * r), 0, -GM / r}), static_cast<float>(GM / (r * r) / 0.5));
}

TEST(AccelerationMeasure, IsAShareOfThatOfAllMassAtOneDistanceWhereForcesCancel) {
  const double GM = 15, r = 2, eps = 1.5, s2 = r * r + eps * eps;
  EXPECT_FLOAT_EQ((AccelerationMeasure{0.5, GM, 0}({0, 0, 0, -GM / r})), static_cast<float>(0.05 * GM / (r * r) / 0.5));
  // Plummer's law: a = GM r / s^3.
  EXPECT_FLOAT_EQ((AccelerationMeasure{0.5, GM, eps}({0, 0, 0, -GM / std::sqrt(s2)})),
                  static_cast<float>(0.05 * GM * r / std::pow(s2, 1.5) / 0.5));
}

TEST(AccelerationMeasure, IsTheMagnitudeAloneWithoutPotentialOrMass) {
  EXPECT_FLOAT_EQ((AccelerationMeasure{1, 1, 0}({3, 0, 4, 0})), 5);
  EXPECT_FLOAT_EQ((AccelerationMeasure{1, 0, 0}({3, 0, 4, -7})), 5);
  // The potential of all mass at the particle's own place.
  EXPECT_FLOAT_EQ((AccelerationMeasure{1, 1, 0.1}({3, 0, 4, -10})), 5);
}

// The share of a quantity that is no larger than the sum of the magnitudes of all contributions.
TEST(AccelerationMeasure, IsAtMostTheSumOfTheMagnitudesOfAllContributions) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> spread(0, 2);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    Double4 field;
    double magnitudes = 0, mass = 0;
    for (int i = 0; i < 50; ++i) {
      const double m = spread(random), size = spread(random);
      const Double3 d{size * normal(random), size * normal(random), size * normal(random)};
      const double r = std::sqrt(dot(d, d)), f = m / (r * r * r);
      field = {field.x + f * d.x, field.y + f * d.y, field.z + f * d.z, field.w - m / r};
      magnitudes += m / (r * r);
      mass += m;
    }
    const double a = std::sqrt(field.x * field.x + field.y * field.y + field.z * field.z);
    const double found = AccelerationMeasure{1, mass, 0}(field);
    EXPECT_GE(found, a * (1 - 1e-6));
    EXPECT_LE(found, std::max(a, AccelerationMeasure::least_share * magnitudes) * (1 + 1e-6));
  }
}

TEST(AccelerationMeasure, HasTheUnitsOfTheLaw) {
  GravityParameters gravity{.G = 4.5};
  gravity.softening = 0.25;
  const GravityLaw law(gravity);
  const TreeScale scale{8, 2};
  const AccelerationMeasure measure = law.measure(scale, 6), expected(law.at(scale).units.acceleration, 27, 0.25);
  for (const Double4& field : {Double4{3, -2, 7, -5}, Double4{0, 0, 0.1, -40}, Double4{0, 0, 0, -100}, Double4{0, 0, 0.1, -130}})
    EXPECT_FLOAT_EQ(measure(field), expected(field)) << field.w;
}

}  // namespace
}  // namespace grove
