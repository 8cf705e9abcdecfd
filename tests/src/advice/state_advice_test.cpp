// What is said of the first state of a run, and of its end.
#include "src/advice/state_advice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/particles/particle_transfer.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {
namespace {

const GravityParameters softened{.softening = 0.2};

/// 1000 particles over all ranks, of which `strong` have the acceleration 100, the others 1.
std::size_t fill(Particles<BackEnd>& particles, BackEnd& space, const Communicator& comm, std::uint64_t strong,
                 std::uint64_t massless = 0) {
  const std::uint64_t first = first_of_rank(1000, comm.rank(), comm.size()), end = first_of_rank(1000, comm.rank() + 1, comm.size());
  ParticleSet set;
  set.resize(end - first);
  for (std::uint64_t i = first; i < end; ++i) set.mass[i - first] = i < massless ? 0 : 1;
  for (std::uint64_t i = first; i < end; ++i)
    for (const double part : {0.6, 0.0, -0.8}) set.acceleration.push_back(part * (i < strong ? 100 : 1));
  upload(space, set, particles);
  return set.size();
}

TEST(StepCheckTest, CountsTheParticlesForWhichAStepIsTooLong) {
  const Communicator comm(MPI_COMM_WORLD);
  BackEnd space = make_space();
  Particles<BackEnd> particles(space);
  // sqrt(2 * 0.025 * 0.2 / a): 0.01 of the strong ones, 0.1 of the others.
  fill(particles, space, comm, 20);
  EXPECT_EQ(apply_step_criterion(space, comm, particles, softened, 0.0099).too_long, 0);
  EXPECT_DOUBLE_EQ(apply_step_criterion(space, comm, particles, softened, 0.0101).too_long, 0.02);
  EXPECT_NEAR(apply_step_criterion(space, comm, particles, softened, 0.0101).would_do, 0.01, 2e-5);
  EXPECT_DOUBLE_EQ(apply_step_criterion(space, comm, particles, softened, 0.2).too_long, 1);
  EXPECT_NEAR(apply_step_criterion(space, comm, particles, softened, 0.2).would_do, 0.01, 2e-5);
  // Another criterion, and as many as are tolerated.
  const StepParameters coarse{.accuracy = 0.1};
  EXPECT_NEAR(apply_step_criterion(space, comm, particles, softened, 0.5, coarse).would_do, 0.02, 4e-5);
  EXPECT_NEAR(apply_step_criterion(space, comm, particles, softened, 0.5, coarse, 0.5).would_do, 0.2, 4e-4);
  EXPECT_TRUE(apply_step_criterion(space, comm, particles, softened, 0.5).is_known);
  EXPECT_FALSE(apply_step_criterion(space, comm, particles, GravityParameters{}, 0.5).is_known);
  EXPECT_EQ(apply_step_criterion(space, comm, particles, GravityParameters{}, 0.2).too_long, 0);
  // One in a hundred may have too long a step.
  fill(particles, space, comm, 10);
  EXPECT_NEAR(apply_step_criterion(space, comm, particles, softened, 0.2).would_do, 0.1, 2e-4);
  // Particles without mass do not count.
  fill(particles, space, comm, 20, 20);
  EXPECT_EQ(apply_step_criterion(space, comm, particles, softened, 0.0101).too_long, 0);
  fill(particles, space, comm, 20, 1000);
  EXPECT_EQ(apply_step_criterion(space, comm, particles, softened, 0.2).too_long, 0);
}

Diagnostics energy(double kinetic, double potential) {
  Diagnostics sums;
  sums.kinetic = kinetic;
  sums.potential = potential;
  return sums;
}

TEST(StateAdvice, KnowsExternalPotentials) {
  const StepSchedule schedule(0, 1, 0.1, 0);
  Diagnostics sums;
  sums.kinetic = 3;
  sums.potential = -1;
  sums.external = -4;
  sums.external_virial = -5;
  EXPECT_EQ(sums.virial_ratio(), 1);
  EXPECT_TRUE(advice_on_first_state(sums, {0, 0.1}, schedule, Config{}).empty());
  sums.external = -1;
  const auto unbound = advice_on_first_state(sums, {0, 0.1}, schedule, Config{});
  ASSERT_EQ(unbound.size(), 1U);
  EXPECT_NE(unbound[0].find("to each other and to the external potentials"), std::string::npos) << unbound[0];
  sums.is_held = true;
  EXPECT_TRUE(advice_on_first_state(sums, {0, 0.1}, schedule, Config{}).empty());
}

TEST(StateAdvice, NamesUnitsAndGWhereTheVirialRatioIsFarFromOne) {
  const StepSchedule schedule(0, 1, 0.1, 0);
  const auto on = [&](double kinetic, const Config& config) {
    const auto advice = advice_on_first_state(energy(kinetic, -1), {0, 0.1}, schedule, config);
    return advice.empty() ? std::string() : advice[0];
  };
  Config physical;
  physical.units = {3.0857e21, 1.989e43, 1e5};
  EXPECT_NE(on(2e4, Config{}).find("N-body units and gravity.G = 1"), std::string::npos) << on(2e4, Config{});
  EXPECT_NE(on(2e4, physical).find("gravity.G = 1 is not the gravitational constant in [units]"), std::string::npos) << on(2e4, physical);
  EXPECT_NE(on(1e-5, physical).find("gravity.G = 1 is not"), std::string::npos) << on(1e-5, physical);
  physical.gravity.G = gravitational_constant(physical.units);
  EXPECT_NE(on(2e4, physical).find("units of 1.000007 kpc"), std::string::npos) << on(2e4, physical);
  EXPECT_EQ(on(0, physical), "") << "at rest";
  EXPECT_EQ(on(0.3, physical), "");
}

TEST(StateAdvice, NamesASofteningThatIsLargerThanTheSystem) {
  const StepSchedule schedule(0, 1, 0.1, 0);
  Config config;
  config.gravity.softening = 100;
  Diagnostics sums;
  sums.mass = 1;
  sums.kinetic = 0.15;
  sums.potential = -0.005;  // the most that it can be is G M^2 / (2 * 100)
  const auto wide = advice_on_first_state(sums, {0, 0.1}, schedule, config);
  ASSERT_EQ(wide.size(), 1U);
  EXPECT_NE(wide[0].find("The likely cause is gravity.softening = 100"), std::string::npos) << wide[0];
  EXPECT_EQ(wide[0].find("units"), std::string::npos) << wide[0];
  config.gravity.softening = 0.1;
  const auto narrow = advice_on_first_state(sums, {0, 0.1}, schedule, config);
  ASSERT_EQ(narrow.size(), 1U);
  EXPECT_NE(narrow[0].find("units"), std::string::npos) << narrow[0];
}

TEST(StateAdvice, SaysThatExternalPotentialsAccelerate) {
  const StepSchedule schedule(0, 1, 0.1, 0);
  Diagnostics sums;
  sums.kinetic = 0.5;
  sums.potential = -1;
  sums.external_virial = sums.external = -0.5;
  const auto text = [&] { return advice_on_first_state(sums, {0.25, 0.0123}, schedule, Config{}).at(0); };
  EXPECT_EQ(text().find("external"), std::string::npos) << text();
  sums.external_virial = -2;
  EXPECT_NE(text().find("mostly those of external potentials"), std::string::npos) << text();
}

TEST(StateAdvice, NamesWhatIsUnusual) {
  const StepSchedule schedule(0, 1, 0.1, 0);
  EXPECT_TRUE(advice_on_first_state(energy(0.5, -1), {0.01, 0.1}, schedule, Config{}).empty());
  const auto unbound = advice_on_first_state(energy(1.5, -1), {0, 0.1}, schedule, Config{});
  ASSERT_EQ(unbound.size(), 1U);
  EXPECT_NE(unbound[0].find("positive (0.5, virial ratio 3)"), std::string::npos) << unbound[0];
  const auto too_long = advice_on_first_state(energy(0.5, -1), {0.25, 0.0123}, schedule, Config{});
  ASSERT_EQ(too_long.size(), 1U);
  EXPECT_NE(too_long[0].find("time.dt = 0.1 is long for 25 %"), std::string::npos) << too_long[0];
  // It divides the run, and is not above the one that was measured.
  EXPECT_NE(too_long[0].find("0.01219512195 (82 steps) would do"), std::string::npos) << too_long[0];
}

TEST(StateAdvice, SaysWhoseTheEnergyErrorsAreWhereAFewHoldTheEnergy) {
  EXPECT_EQ(advice_on_potential_holders({1, 1000, 0.5}, {}), "") << "one heavy particle: the energy without it is measured";
  EXPECT_EQ(advice_on_potential_holders({2, 1000, 0.8}, {}), "");
  const std::string text = advice_on_potential_holders({2, 1000, 0.99996}, {});
  EXPECT_EQ(text.find("2 of 1002 particles have 99.9 % of the potential energy"), 0U) << text;
  EXPECT_NE(text.find("say little of the other 1000"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("half the time.dt")) << text;
  TimeParameters block;
  block.steps = steps::block;
  EXPECT_TRUE(advice_on_potential_holders({2, 1000, 0.99996}, block).ends_with("half the time.accuracy"));
}

TEST(StateAdvice, NamesALargeEnergyErrorAndOfWhat) {
  Diagnostics sums = energy(0.5, -1);
  sums.own_kinetic = 0.5;
  sums.own_potential = -1;
  EXPECT_EQ(advice_on_energy_error(sums, 0.0099), "");
  EXPECT_NE(advice_on_energy_error(sums, -0.02).find("not accurate: the energy was wrong by up to 0.02 of itself"), std::string::npos);
  EXPECT_NE(advice_on_energy_error(sums, 0.02).find("a smaller time.dt or"), std::string::npos);
  EXPECT_NE(advice_on_energy_error(sums, 0.02, true).find("a smaller time.accuracy or"), std::string::npos);
  EXPECT_NE(advice_on_energy_error(sums, std::nan("")).size(), 0U);
  sums.external = -100;
  EXPECT_NE(advice_on_energy_error(sums, 0.02).find("up to 0.02 of the system's own energy"), std::string::npos);
  sums.change_of_each = 0.02;
  EXPECT_NE(advice_on_energy_error(sums, 0.02).find("not accurate: v^2 / 2 + potential of a particle"), std::string::npos);
}

}  // namespace
}  // namespace grove::tests
