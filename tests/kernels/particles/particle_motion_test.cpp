// Kicks, drifts and the sums over particles.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/particles/particle_motion.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

/// All numbers of a table of sums.
std::vector<double> values_of(const ParticleSums& s) {
  std::vector<double> values{s.mass.value(), s.kinetic.value(), s.potential.value()};
  for (int k = 0; k < 3; ++k) {
    values.push_back(s.momentum[k].value());
    values.push_back(s.angular_momentum[k].value());
    values.push_back(s.mass_moment[k].value());
  }
  return values;
}

class Motion : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  Particles<BackEnd> particles{space};

  void set(const std::vector<Double4>& position, const std::vector<Double3>& velocity, const std::vector<Double4>& acceleration) {
    tests::set_particles(space, particles, position);
    copy_from_host<BackEnd, Double3>(space, velocity, particles.velocity.view());
    copy_from_host<BackEnd, Double4>(space, acceleration, particles.acceleration.view());
  }
  /// Particles that all differ. Returns their accelerations.
  std::vector<Double4> set_many(std::size_t n) {
    std::vector<Double4> position(n), acceleration(n);
    std::vector<Double3> velocity(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = 1 / (1.0 + static_cast<double>(i));
      position[i] = {x, -2 * x, 0.1, 0.3};
      velocity[i] = {-x, 0.7, x * x};
      acceleration[i] = {x, 1 - x, -x, -x};
    }
    set(position, velocity, acceleration);
    return acceleration;
  }
};

TEST_F(Motion, KickAndDriftMoveEveryParticleByItsOwnRates) {
  const std::size_t n = 3001;
  std::vector<Double4> position(n), acceleration(n);
  std::vector<Double3> velocity(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i);
    position[i] = {x, 2 * x, 3 * x, 4};
    velocity[i] = {-x, 1, 0.5 * x};
    acceleration[i] = {1, x, -2 * x, 99};
  }
  for (const bool at_once : {false, true}) {
    set(position, velocity, acceleration);
    if (at_once) {
      kick_and_drift(space, particles, 0.25, 0.5);
    } else {
      kick(space, particles, 0.25);
      drift(space, particles, 0.5);
    }
    const auto p = tests::download(space, particles.position);
    const auto v = tests::download(space, particles.velocity);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(i);
      ASSERT_DOUBLE_EQ(v[i].x, -x + 0.25);
      ASSERT_DOUBLE_EQ(v[i].y, 1 + 0.25 * x);
      ASSERT_DOUBLE_EQ(v[i].z, 0);
      ASSERT_DOUBLE_EQ(p[i].x, x + 0.5 * (-x + 0.25));
      ASSERT_DOUBLE_EQ(p[i].y, 2 * x + 0.5 * (1 + 0.25 * x));
      ASSERT_DOUBLE_EQ(p[i].z, 3 * x);
      ASSERT_EQ(p[i].w, 4);
    }
  }
}

TEST_F(Motion, SumsAreThoseOfTheDefinitions) {
  set({{1, 2, 3, 2}, {-1, 0, 5, 3}}, {{0, 1, 0}, {2, 0, -1}}, {{0, 0, 0, -7}, {0, 0, 0, -4}});
  const ParticleSums s = sum_particles(space, particles);
  EXPECT_DOUBLE_EQ(s.mass.value(), 5);
  EXPECT_DOUBLE_EQ(s.kinetic.value(), 0.5 * 2 * 1 + 0.5 * 3 * 5);
  EXPECT_DOUBLE_EQ(s.potential.value(), 0.5 * (2 * -7 + 3 * -4));
  const double momentum[3] = {6, 2, -3}, angular[3] = {2 * -3, 3 * (5 * 2 - (-1) * (-1)), 2 * 1}, moment[3] = {2 - 3, 4, 6 + 15};
  for (int k = 0; k < 3; ++k) {
    EXPECT_DOUBLE_EQ(s.momentum[k].value(), momentum[k]) << k;
    EXPECT_DOUBLE_EQ(s.angular_momentum[k].value(), angular[k]) << k;
    EXPECT_DOUBLE_EQ(s.mass_moment[k].value(), moment[k]) << k;
  }
}

TEST_F(Motion, AKickWithSumsHasTheBitsOfAKickAndThenSums) {
  // So many that a GPU does both in one loop, and so few that it does not.
  for (const std::size_t n : {600001, 3001, 0}) {
    set_many(n);
    kick(space, particles, 0.1);
    const ParticleSums expected = sum_particles(space, particles);
    const auto v = tests::download(space, particles.velocity);
    set_many(n);
    const ParticleSums sums = kick_and_sum(space, particles, 0.1);
    EXPECT_EQ(values_of(sums), values_of(expected)) << n;
    const auto kicked = tests::download(space, particles.velocity);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(kicked[i].x, v[i].x) << i;
      ASSERT_EQ(kicked[i].y, v[i].y) << i;
      ASSERT_EQ(kicked[i].z, v[i].z) << i;
    }
  }
}

TEST_F(Motion, TheEndOfAStepAndTheBeginningOfTheNextHaveTheBitsOfBothAlone) {
  // So many that a GPU takes one loop, and so few that it takes two.
  for (const std::size_t n : {600001, 3001, 0}) {
    set_many(n);
    const std::vector<double> sums = values_of(kick_and_sum(space, particles, 0.1));
    kick_and_drift(space, particles, 0.2, 0.7);
    const auto x = tests::download(space, particles.position);
    const auto v = tests::download(space, particles.velocity);
    const std::vector<Double4> acceleration = set_many(n);
    const AccelerationMeasure measure(0.5, 3, 0.01);
    Buffer<BackEnd, float> magnitude(space);
    magnitude.resize_discard(n);
    auto later = end_and_begin(space, particles, 0.1, 0.2, 0.7, {measure, magnitude.data()});
    EXPECT_EQ(values_of(later.get()), sums) << n;
    const auto moved = tests::download(space, particles.position);
    const auto kicked = tests::download(space, particles.velocity);
    const auto found = tests::download(space, magnitude);
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto member : {&Double4::x, &Double4::y, &Double4::z, &Double4::w}) ASSERT_EQ(moved[i].*member, x[i].*member) << i;
      for (const auto member : {&Double3::x, &Double3::y, &Double3::z}) ASSERT_EQ(kicked[i].*member, v[i].*member) << i;
      ASSERT_FLOAT_EQ(found[i], measure(acceleration[i])) << i;
    }
  }
}

TEST_F(Motion, AParticleWhoseForceIsNotFiniteStaysWhereItIsWhenTheNextStepBegins) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t n : {600001, 3}) {
    std::vector<Double4> acceleration(n, Double4{1, 0, 0, -1});
    acceleration[1] = {0, none, 0, -1};
    set(std::vector<Double4>(n, Double4{1, 2, 3, 1}), std::vector<Double3>(n, Double3{1, 1, 1}), acceleration);
    EXPECT_TRUE(std::isnan(end_and_begin(space, particles, 0.5, 0.5, 2).get().potential.value()));
    const auto position = tests::download(space, particles.position);
    EXPECT_EQ(position[0].x, 5);
    EXPECT_EQ(position[1].x, 1);
    EXPECT_EQ(position[1].y, 2);
    const auto velocity = tests::download(space, particles.velocity);
    EXPECT_EQ(velocity[0].x, 2);
    EXPECT_EQ(velocity[1].x, 1) << "as at the end of the step";
    EXPECT_TRUE(std::isnan(velocity[1].y));
  }
}

TEST_F(Motion, SumsLoseNothingToCancellation) {
  // Huge momenta that cancel around many small ones: plain doubles would lose all of the small ones.
  const std::size_t n = 10001;
  std::vector<Double4> position(n, Double4{0, 0, 0, 1});
  std::vector<Double3> velocity(n, Double3{0.125, 0, 0});
  velocity.front().x = 1e18;
  velocity.back().x = -1e18;
  set(position, velocity, std::vector<Double4>(n));
  EXPECT_DOUBLE_EQ(sum_particles(space, particles).momentum[0].value(), 0.125 * static_cast<double>(n - 2));
}

TEST_F(Motion, SumsOfForcesAreThoseOfTheDefinitions) {
  const std::size_t n = 10001;
  std::vector<Double4> position(n, Double4{5, 6, 7, 2}), acceleration(n, Double4{0, 0.375, -0.5, 1e30});
  acceleration.front() = {1e18, 0, 0, 0};
  acceleration.back() = {-1e18, 0, 0, 0};
  set(position, std::vector<Double3>(n, Double3{8, 9, 10}), acceleration);
  const ForceSums s = sum_forces(space, particles);
  const double rest = static_cast<double>(n - 2);
  EXPECT_EQ(s.net[0].value(), 0);
  EXPECT_DOUBLE_EQ(s.net[1].value(), 2 * 0.375 * rest);
  EXPECT_DOUBLE_EQ(s.net[2].value(), 2 * -0.5 * rest);
  EXPECT_DOUBLE_EQ(s.absolute.value(), 4e18 + 2 * 0.625 * rest);
}

TEST_F(Motion, CompensatedSumsAddUpExactlyInAnyOrder) {
  const std::vector<double> terms{1e16, 1, -1e16, 1e-8, 3, -1e-8};
  CompensatedSum left, right;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    left = left + CompensatedSum{terms[i], 0};
    right = CompensatedSum{terms[terms.size() - 1 - i], 0} + right;
  }
  EXPECT_DOUBLE_EQ(left.value(), 4);
  EXPECT_DOUBLE_EQ(right.value(), 4);
}

TEST_F(Motion, SumsHaveTheSameBitsTwice) {
  tests::set_particles(space, particles, tests::plummer_sphere(20000, 1));
  const ParticleSums a = sum_particles(space, particles), b = sum_particles(space, particles);
  EXPECT_EQ(a.kinetic.value(), b.kinetic.value());
  EXPECT_EQ(a.momentum[2].value(), b.momentum[2].value());
  EXPECT_EQ(a.angular_momentum[1].value(), b.angular_momentum[1].value());
}

TEST_F(Motion, SumsOfNoParticlesAreZero) {
  tests::set_particles(space, particles, {});
  EXPECT_EQ(sum_particles(space, particles).mass.value(), 0);
  EXPECT_EQ(first_not_finite(space, particles, ParticlePart::motion), 0u);
  EXPECT_EQ(first_not_finite(space, particles, ParticlePart::force), 0u);
}

TEST_F(Motion, FindsTheFirstParticleThatIsNotFinite) {
  const std::size_t n = 9000;
  const std::vector<Double4> position(n, Double4{1e300, -1e300, 5, 1});
  set(position, std::vector<Double3>(n), std::vector<Double4>(n));
  for (const ParticlePart part : {ParticlePart::motion, ParticlePart::force})
    EXPECT_EQ(first_not_finite(space, particles, part), n) << "large is not infinite";
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  std::vector<Double4> acceleration(n);
  acceleration[8000].w = nan;
  std::vector<Double3> velocity(n);
  velocity[77].y = -infinity;
  set(position, velocity, acceleration);
  EXPECT_EQ(first_not_finite(space, particles, ParticlePart::force), 8000u);
  EXPECT_EQ(first_not_finite(space, particles, ParticlePart::motion), 77u);
}

}  // namespace
}  // namespace grove
