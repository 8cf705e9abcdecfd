// The steps of a core, against a leapfrog with direct summation that is written out here.
#include "src/integrators/core_steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/space_support.hpp"

namespace grove {
namespace {

constexpr int limit = 2;
constexpr double base = 1.0 / 16;
/// What rounding changes in a position: on a GPU forces are sums in FP32.
constexpr double rounding = BackEnd::on_gpu ? 1e-9 : 1e-13;

struct System {
  std::vector<Double4> position;
  std::vector<Double3> velocity;
  std::vector<std::uint8_t> type;
};

/// A cloud in a box, the first particle of type 5 and, where asked for, heavy.
System cloud(std::size_t n, double first_mass = 1) {
  std::mt19937_64 random(n);
  std::uniform_real_distribution<double> place(-1, 1);
  const auto draw = [&] { return place(random); };
  System system;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = draw(), y = draw(), z = draw();
    system.position.push_back({x, y, z, (i == 0 ? first_mass : 1) / static_cast<double>(n)});
    const double u = draw(), v = draw(), w = draw();
    system.velocity.push_back({0.3 * u, 0.3 * v, 0.3 * w});
    system.type.push_back(i == 0 ? 5 : 1);
  }
  return system;
}

GravityParameters gravity_of(double hole = 0.05) {
  GravityParameters gravity;
  gravity.softening = 0.05;
  gravity.G = 2;
  if (hole != gravity.softening) {
    gravity.softening_of_type = {0.05, 0.05, 0.05, 0.05, 0.05, 0.05};
    gravity.softening_between_types = {{1, 5, hole}};
  }
  return gravity;
}

RungRules rules_of(const GravityParameters& gravity, double accuracy, double pinned_mass) {
  RungRules rules;
  rules.criterion = "softening";
  rules.accuracy = accuracy;
  rules.are_given = accuracy == HUGE_VAL;
  rules.softening = softening_classes(gravity);
  rules.base = base;
  rules.pinned_mass = pinned_mass;
  return rules;
}

/// The same accelerations for all, beside those of the core.
constexpr Double3 rest{0.25, -0.5, 0.125};

std::vector<Double4> forces(const System& system, const GravityParameters& gravity) {
  const double hole = gravity.softening_between_types.empty() ? gravity.softening : gravity.softening_between_types.front().length;
  std::vector<Double4> sum(system.position.size());
  for (std::size_t i = 0; i < sum.size(); ++i)
    for (std::size_t j = 0; j < sum.size(); ++j) {
      if (i == j) continue;
      const Double4 &a = system.position[i], &b = system.position[j];
      const double softening = system.type[i] != system.type[j] ? hole : gravity.softening;
      const double x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, r = std::sqrt(x * x + y * y + z * z + softening * softening);
      const double f = gravity.G * b.w / (r * r * r);
      sum[i] = {sum[i].x + f * x, sum[i].y + f * y, sum[i].z + f * z, sum[i].w - gravity.G * b.w / r};
    }
  return sum;
}

/// A step of the limit, in `steps` of the leapfrog, with the kick by the rest that begins it.
System expected(System system, const GravityParameters& gravity, std::uint64_t steps, const Double3& by_rest = rest) {
  const double whole = std::ldexp(base, -limit), step = whole / static_cast<double>(steps);
  for (Double3& v : system.velocity) v = v + 0.5 * whole * by_rest;
  std::vector<Double4> force = forces(system, gravity);
  for (std::uint64_t s = 0; s < steps; ++s) {
    for (std::size_t i = 0; i < force.size(); ++i) {
      Double3& v = system.velocity[i];
      v = v + 0.5 * step * position_of(force[i]);
      Double4& x = system.position[i];
      x = {x.x + step * v.x, x.y + step * v.y, x.z + step * v.z, x.w};
    }
    force = forces(system, gravity);
    for (std::size_t i = 0; i < force.size(); ++i) system.velocity[i] = system.velocity[i] + 0.5 * step * position_of(force[i]);
  }
  return system;
}

class CoreSteps : public testing::Test {
 protected:
  /// Sends the system on rungs `rung` through a step of the limit.
  int take(System& system, const GravityParameters& gravity, const RungRules& rules, const std::vector<std::uint8_t>& rung,
           bool is_alone = false, int coarsest = limit + 1) {
    const std::size_t n = system.position.size();
    Particles<BackEnd> p(space_, fields_with({rung_row()}));
    p.resize_discard(n);
    Buffer<BackEnd, Double4> others(space_);
    others.resize_discard(n);
    std::vector<std::uint64_t> id(n);
    std::iota(id.begin(), id.end(), std::uint64_t{100});
    std::vector<Double4> all = forces(system, gravity);
    if (is_alone) space_.copy_from_host(p.acceleration.data(), all.data(), n * sizeof(Double4));
    for (Double4& a : all) a = {a.x + rest.x, a.y + rest.y, a.z + rest.z, a.w};
    const auto put = [&](auto* to, const auto& from) { space_.copy_from_host(to, from.data(), n * sizeof(from[0])); };
    put(p.position.data(), system.position);
    put(p.velocity.data(), system.velocity);
    put(p.id.data(), id);
    put(p.type.data(), system.type);
    put(rungs_of(p), rung);
    put(others.data(), all);
    const GravityLaw law(gravity);
    const int finest = take_core_steps(space_, p, is_alone ? nullptr : others.data(),
                                       {law, rules, coarsest, 5 * ticks_of(limit), 6 * ticks_of(limit)}, work_);
    space_.copy_to_host(system.position.data(), p.position.data(), n * sizeof(Double4));
    space_.copy_to_host(system.velocity.data(), p.velocity.data(), n * sizeof(Double3));
    return finest;
  }
  std::uint64_t sub_steps() const {
    std::uint64_t sum = 0;
    for (const RungWork& rung : work_) sum += rung.sub_steps;
    return sum;
  }
  std::uint64_t updates() const {
    std::uint64_t sum = 0;
    for (const RungWork& rung : work_) sum += rung.updates;
    return sum;
  }
  static void expect_near(const System& found, const System& wanted, double bound) {
    for (std::size_t i = 0; i < found.position.size(); ++i) {
      ASSERT_NEAR(found.position[i].x, wanted.position[i].x, bound) << i;
      ASSERT_NEAR(found.position[i].y, wanted.position[i].y, bound) << i;
      ASSERT_NEAR(found.position[i].z, wanted.position[i].z, bound) << i;
      ASSERT_NEAR(found.velocity[i].x, wanted.velocity[i].x, 20 * bound) << i;
      ASSERT_NEAR(found.velocity[i].y, wanted.velocity[i].y, 20 * bound) << i;
      ASSERT_NEAR(found.velocity[i].z, wanted.velocity[i].z, 20 * bound) << i;
    }
  }

  BackEnd space_ = tests::make_space();
  RungCensus work_;
};

// With a criterion that asks for nothing, or none, all stay on the coarsest rung. The numbers are those at which the GPU divides its work
// differently.
TEST_F(CoreSteps, OnOneRungAreThoseOfTheLeapfrog) {
  const GravityParameters gravity = gravity_of();
  for (const std::size_t n : {1, 2, 33, 700, 2100, 4500}) {
    const System before = cloud(n);
    const System wanted = expected(before, gravity, 2);
    for (const double accuracy : {1e9, HUGE_VAL}) {
      System system = before;
      work_.clear();
      take(system, gravity, rules_of(gravity, accuracy, accuracy < HUGE_VAL ? 0 : HUGE_VAL), std::vector<std::uint8_t>(n, limit + 1));
      EXPECT_EQ(sub_steps(), 2U) << n;
      EXPECT_EQ(updates(), 2 * n) << n;
      expect_near(system, wanted, rounding);
    }
  }
}

// So many that what is set for the next sub-step is read many times.
TEST_F(CoreSteps, OfEqualLengthAreThoseOfTheLeapfrog) {
  const GravityParameters gravity = gravity_of();
  for (const std::size_t n : {1, 40, 400, 3200}) {
    const System before = cloud(n);
    System system = before;
    work_.clear();
    take(system, gravity, rules_of(gravity, HUGE_VAL, HUGE_VAL), std::vector<std::uint8_t>(n, limit + 3), true, limit + 3);
    EXPECT_EQ(sub_steps(), 8U) << n;
    expect_near(system, expected(before, gravity, 8, {}), rounding);
  }
}

// In FP32 the inverse cube of such a distance is too large, and so far away an offset has few bits.
TEST_F(CoreSteps, KnowCloseParticlesWithoutSofteningBesideADistantOne) {
  GravityParameters gravity = gravity_of();
  gravity.softening = 0;
  System system = cloud(20);
  system.position[0] = {1e6, 0, 0, 0.05};
  system.position[2] = system.position[1];
  system.position[2].x += 1e-7;
  system.velocity[2] = system.velocity[1];
  system.position[1].w = system.position[2].w = 1e-12;
  RungRules rules = rules_of(gravity, HUGE_VAL, HUGE_VAL);
  rules.criterion = "potential";
  rules.base = 1e-5;
  take(system, gravity, rules, std::vector<std::uint8_t>(20, limit + 1), true);
  // They fall towards each other, each with G m / r^2 = 200, for a time of 2.5e-6.
  const double change = 1e-7 - (system.position[2].x - system.position[1].x), fall = 200 * 2.5e-6 * 2.5e-6;
  EXPECT_NEAR(change, fall, 0.05 * fall);
}

TEST_F(CoreSteps, OfAllParticlesBeginWithTheirAccelerations) {
  const std::size_t n = 300;
  const GravityParameters gravity = gravity_of();
  const System before = cloud(n);
  std::vector<std::uint8_t> rung(n, limit + 3);
  for (const double accuracy : {1e9, HUGE_VAL}) {
    System system = before;
    work_.clear();
    // Those that may choose are on the third rung at first, and then on the coarsest.
    const bool choose = accuracy < HUGE_VAL;
    take(system, gravity, rules_of(gravity, accuracy, HUGE_VAL), choose ? rung : std::vector<std::uint8_t>(n, limit + 1), true);
    EXPECT_EQ(sub_steps(), choose ? 4U : 2U);
    expect_near(system, expected(before, gravity, choose ? 16 : 2, {}), choose ? 3e-6 : rounding);
  }
}

TEST_F(CoreSteps, KnowTheSofteningOfEachPair) {
  const GravityParameters gravity = gravity_of(0.002);
  System system = cloud(500, 50);
  const System before = system;
  take(system, gravity, rules_of(gravity, 1e9, 0), std::vector<std::uint8_t>(500, limit + 1));
  expect_near(system, expected(before, gravity, 2), 10 * rounding);
}

// Where particles have steps of their own, the few that need it have more; the heavy one takes the finest.
TEST_F(CoreSteps, OfTheirOwnLeadToTheSamePlaces) {
  const std::size_t n = 900;
  const GravityParameters gravity = gravity_of();
  System system = cloud(n, 300);
  const System before = system;
  std::vector<std::uint8_t> rung(n, limit + 1);
  rung[0] = limit + 3;
  for (std::size_t i = 1; i < n; ++i) {
    const Double4 &a = before.position[i], &b = before.position[0];
    const double r = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    rung[i] = static_cast<std::uint8_t>(limit + (r < 0.2 ? 3 : r < 0.6 ? 2 : 1));
  }
  take(system, gravity, rules_of(gravity, 1e-4, 0.1), rung);
  EXPECT_LT(updates(), n * sub_steps());
  EXPECT_GT(updates(), 2 * n);
  ASSERT_GE(work_.size(), static_cast<std::size_t>(limit + 3));
  EXPECT_EQ(work_[limit + 1].updates, n * work_[limit + 1].sub_steps) << "all steps end with those of the coarsest rung";
  expect_near(system, expected(before, gravity, 256), 3e-6);
}

// A run cannot continue from this: the caller says which particle it was.
TEST_F(CoreSteps, EndWhereAParticleWantsAShorterStepThanAny) {
  const GravityParameters gravity = gravity_of();
  RungRules rules = rules_of(gravity, 1e-6, 0.1);
  rules.deepest = limit + 3;
  System system = cloud(200, 100);
  EXPECT_EQ(take(system, gravity, rules, std::vector<std::uint8_t>(200, limit + 1 + 1)), rules.deepest + 1);
}

}  // namespace
}  // namespace grove
