// Steps that are divided: block and adaptive steps, and the criteria by which particles choose theirs.
#include <gtest/gtest.h>

#include <ostream>

#include "kernels/base/error.hpp"
#include "kernels/base/saved_state.hpp"
#include "src/integrators/core_limit.hpp"
#include "src/integrators/step_parameters.hpp"
#include "tests/support/physics_support.hpp"

namespace grove {

void PrintTo(const StepCriterionInfo& info, std::ostream* stream) { *stream << info.name; }

}  // namespace grove

namespace grove::tests {
namespace {

std::unique_ptr<Simulation> started(const GravityParameters& gravity, const StepParameters& steps, const ParticleSet& all,
                                    const Communicator& comm, const ExternalFunction& external = {}) {
  return tests::started(make_simulation(test_device(), gravity, comm, {.steps = steps, .external_function = external}), all, comm);
}

StepParameters block(double accuracy = 0.025, double dt_min = 0) {
  return {.steps = steps::block, .accuracy = accuracy, .dt_min = dt_min, .core_up_to = 0};
}
StepParameters adaptive(double accuracy = 0.025) { return {.steps = steps::adaptive, .accuracy = accuracy, .core_up_to = 0}; }
StepParameters equal(std::uint64_t substeps) { return {.substeps = substeps, .core_up_to = 0}; }

/// Forces on particles in the last step.
std::uint64_t updates(const Simulation& sim, const Communicator& comm) {
  std::uint64_t all = 0;
  for (const RungWork& rung : sim.rung_work()) all += rung.updates;
  return comm.sum(all);
}

/// Particles in the core during the last step.
std::uint64_t in_core(const Simulation& sim, const Communicator& comm) {
  std::uint64_t all = 0;
  for (const RungWork& rung : sim.rung_work()) all += rung.in_core;
  return comm.sum(all);
}

void take_steps(Simulation& sim, double dt, int steps) { advance(sim, dt * steps, steps); }

void expect_the_same(Simulation& one, Simulation& other, const Communicator& comm) {
  const ParticleSet a = collected(one, comm), b = collected(other, comm);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.acceleration, b.acceleration);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

class DividedSteps : public testing::TestWithParam<std::string> {
 protected:
  GravityParameters gravity(double softening) const {
    return {.method = GetParam(), .opening = "relative", .softening = softening, .all_pairs_up_to = 0};
  }
  const Communicator comm_{MPI_COMM_WORLD};
};

// With a criterion that asks for nothing, all particles are on rung 0.
TEST_P(DividedSteps, OnOneRungAreThoseOfTheLeapfrog) {
  const ParticleSet all = plummer(800);
  for (const StepParameters& steps : {block(1e9), adaptive(1e9)}) {
    const auto divided = started(gravity(0.05), steps, all, comm_);
    const auto alike = started(gravity(0.05), {}, all, comm_);
    take_steps(*divided, 1.0 / 64, 12);
    take_steps(*alike, 1.0 / 64, 12);
    expect_the_same(*divided, *alike, comm_);
    EXPECT_EQ(updates(*divided, comm_), all.size());
  }
}

std::uint64_t places = 0;  ///< where swinging() has been asked for

/// A field along x that changes with time.
void swinging(double time, std::size_t count, const double* position, double* acceleration, double* potential) {
  places += count;
  for (std::size_t i = 0; i < count; ++i) {
    acceleration[3 * i] = std::cos(3 * time);
    acceleration[3 * i + 1] = acceleration[3 * i + 2] = 0;
    potential[i] = -std::cos(3 * time) * position[3 * i];
  }
}

TEST_P(DividedSteps, FeelAnExternalFieldAtTheTimeOfEachSubStep) {
  const ParticleSet all = plummer(1000);
  const auto divided = started(gravity(0.05), block(1e9), all, comm_, swinging), shared = started(gravity(0.05), {}, all, comm_, swinging);
  take_steps(*divided, 1.0 / 16, 6);
  take_steps(*shared, 1.0 / 16, 6);
  expect_the_same(*divided, *shared, comm_);
  // A field that all particles feel alike moves the centre of mass, whatever their steps are.
  const auto own = started(gravity(0.05), block(0.002), all, comm_, swinging);
  take_steps(*own, 1.0 / 16, 15);
  places = 0;
  take_steps(*own, 1.0 / 16, 1);
  EXPECT_EQ(comm_.sum(places), updates(*own, comm_));
  EXPECT_GE(own->rung_work().size(), 3U);
  double x = 0, v = 0;
  for (std::size_t i = 0; i < all.size(); ++i) x += all.mass[i] * all.position[3 * i], v += all.mass[i] * all.velocity[3 * i];
  const Diagnostics moved = own->diagnostics();
  EXPECT_NEAR(moved.centre_of_mass[0], (x + v) / moved.mass + (1 - std::cos(3.0)) / 9, 2e-3);
  // A core would not feel it in its own steps: there is none.
  StepParameters with_core = block(0.002);
  with_core.core_beyond = 1;
  const auto cored = started(gravity(0.05), with_core, all, comm_, swinging);
  take_steps(*cored, 1.0 / 16, 16);
  expect_the_same(*cored, *own, comm_);
}

StepParameters with_core(StepParameters steps, int beyond) {
  steps.core_beyond = beyond;
  return steps;
}

/// Where direct summation takes plummer(1500) in four steps of 1/16, each divided by 16.
const ParticleSet& exact_after_four_steps(const Communicator& comm) {
  static const ParticleSet known = [&] {
    const auto exact = started(direct_gravity(0.02), {}, plummer(1500), comm);
    take_steps(*exact, 1.0 / 256, 64);
    return collected(*exact, comm);
  }();
  return known;
}

// A split changes the error of the steps, and no more than that.
TEST_P(DividedSteps, WithACoreGoWhereThoseWithoutOneGo) {
  const ParticleSet all = plummer(1500);
  const auto whole = started(gravity(0.02), block(0.002), all, comm_);
  const auto split = started(gravity(0.02), with_core(block(0.002), 2), all, comm_);
  take_steps(*whole, 1.0 / 16, 4);
  take_steps(*split, 1.0 / 16, 4);
  const ParticleSet found = collected(*split, comm_), without = collected(*whole, comm_);
  const ParticleSet& expected = exact_after_four_steps(comm_);
  EXPECT_EQ(found.id, all.id);
  EXPECT_EQ(found.mass, all.mass);
  std::vector<double> apart, apart_without;
  for (std::size_t i = 0; i < all.size(); ++i) {
    apart.push_back(distance(found.position, expected.position, i));
    apart_without.push_back(distance(without.position, expected.position, i));
  }
  EXPECT_LE(median(apart), 1e-4);
  EXPECT_LE(median(apart), 1.5 * median(apart_without));
  EXPECT_NE(found.position, without.position);
  // The rungs of the core are counted where its steps are taken.
  ASSERT_GT(split->rung_work().size(), 3U);
  EXPECT_GT(comm_.sum(split->rung_work()[3].updates), 0U);
}

// Around a heavy body few particles want much shorter steps than all others. A split changes the error of the steps.
TEST_P(DividedSteps, HaveACoreFromTheFirstBaseStepOn) {
  ParticleSet all = plummer(1500);
  all.mass[0] = 0.1;
  for (std::size_t k = 0; k < 3; ++k) all.position[k] = all.velocity[k] = 0;
  StepParameters steps = block(0.002);
  const auto without = started(gravity(0.005), steps, all, comm_);
  steps.core_up_to = 1000;
  const auto sim = started(gravity(0.005), steps, all, comm_), once_more = started(gravity(0.005), steps, all, comm_);
  for (Simulation* const each : {without.get(), sim.get(), once_more.get()}) take_steps(*each, 1.0 / 16, 1);
  EXPECT_GE(sim->rung_work().size(), 5U);
  EXPECT_GT(in_core(*sim, comm_), 1U);
  EXPECT_EQ(in_core(*without, comm_), 0U);
  expect_the_same(*sim, *once_more, comm_);
  EXPECT_NE(collected(*sim, comm_).position, collected(*without, comm_).position);
}

// The core is all there is: the same kicks and drifts, by sums in another order.
TEST_P(DividedSteps, OfACoreAloneAreThoseOfBlockSteps) {
  const double base = 0.2;
  const ParticleSet pair = ellipse(0.5);
  const auto whole = started(gravity(0.1), block(0.0005), pair, comm_);
  const auto split = started(gravity(0.1), with_core(block(0.0005), 0), pair, comm_);
  for (int i = 1; i <= 20; ++i) {
    whole->step_to(base * i, base);
    split->step_to(base * i, base);
    ASSERT_GE(split->rung_work().size(), 3U);
  }
  const ParticleSet found = collected(*split, comm_), expected = collected(*whole, comm_);
  // On a GPU the core sums in FP32.
  const double bound = GetParam() == "direct" && test_device() == "cpu" ? 1e-11 : 1e-4;
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found.position[i], expected.position[i], bound);
}

// The same with sums in another order: on one rank all particles are the core, without a force from outside.
TEST_P(DividedSteps, OfWhichAllAreTheCoreAreThoseWithoutOne) {
  const ParticleSet all = plummer(300);
  for (const StepParameters& steps : {block(0.002), adaptive(0.002), equal(8)}) {
    SCOPED_TRACE(steps.steps);
    const auto core = started(gravity(0.05), with_core(steps, all_rungs), all, comm_), without = started(gravity(0.05), steps, all, comm_);
    take_steps(*core, 1.0 / 16, 8);
    take_steps(*without, 1.0 / 16, 8);
    EXPECT_EQ(core->rung_work().size(), without->rung_work().size());
    EXPECT_NEAR(static_cast<double>(updates(*core, comm_)), static_cast<double>(updates(*without, comm_)), 20);
    const ParticleSet found = collected(*core, comm_), expected = collected(*without, comm_);
    EXPECT_EQ(found.id, expected.id);
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_LE(distance(found.position, expected.position, i), GetParam() == "direct" ? 1e-11 : 1e-3) << i;
      ASSERT_LE(distance(found.acceleration, expected.acceleration, i), GetParam() == "direct" ? 1e-10 : 2e-2) << i;
      ASSERT_NEAR(found.potential[i], expected.potential[i], GetParam() == "direct" ? 1e-11 : 1e-3) << i;
    }
    EXPECT_NEAR(core->diagnostics().total_energy(), without->diagnostics().total_energy(), GetParam() == "direct" ? 1e-12 : 1e-4);
    if (comm_.size() == 1 && GetParam() != "direct") {
      EXPECT_NE(found.position, expected.position) << "those of trees";
    }
  }
}

TEST_P(DividedSteps, OfEqualLengthAreThoseOfTheLeapfrog) {
  const ParticleSet all = plummer(800);
  const auto divided = started(gravity(0.05), equal(4), all, comm_), shared = started(gravity(0.05), {}, all, comm_);
  take_steps(*divided, 1.0 / 16, 5);
  take_steps(*shared, 1.0 / 64, 20);
  expect_the_same(*divided, *shared, comm_);
  EXPECT_EQ(updates(*divided, comm_), 4 * all.size());
}

// As after a run with block steps.
TEST_P(DividedSteps, OfEqualLengthDoNotDependOnFormerRungs) {
  if (comm_.size() > 1) GTEST_SKIP() << "particles of two simulations need not be on the same rank";
  const ParticleSet all = plummer(300);
  const auto fine = started(gravity(0.05), equal(16), all, comm_), fresh = started(gravity(0.05), equal(4), all, comm_);
  SavedState state;
  fine->save(state);
  const auto later = make_simulation(test_device(), gravity(0.05), comm_, {.steps = equal(4)});
  take_steps(*fine, 1e-12, 1);
  ParticleSet particles = fine->particles();
  particles.fields = later->fields();
  particles.position = fresh->particles().position;
  particles.velocity = fresh->particles().velocity;
  later->resume(std::move(particles), state);
  take_steps(*later, 1.0 / 16, 2);
  take_steps(*fresh, 1.0 / 16, 2);
  const ParticleSet found = collected(*later, comm_), expected = collected(*fresh, comm_);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_LE(distance(found.position, expected.position, i), 1e-4) << i;
}

// Two bodies on a circle want the same steps all the time.
TEST_P(DividedSteps, OnAFinerRungAreThoseOfTheLeapfrogWithAShorterStep) {
  const double softening = 0.1, base = 0.2;
  const ParticleSet pair = ellipse(0);
  const double largest = 0.7 / std::pow(1 + softening * softening, 1.5);  // acceleration of the lighter one
  const double wanted = 0.3 * base;                                       // for which a step of base / 4 is short enough
  const double accuracy = wanted * wanted * largest / (2 * softening);
  const auto divided = started(gravity(softening), adaptive(accuracy), pair, comm_), shared = started(gravity(softening), {}, pair, comm_);
  take_steps(*divided, base, 10);
  EXPECT_EQ(updates(*divided, comm_), 8U);
  take_steps(*shared, base / 4, 40);
  expect_the_same(*divided, *shared, comm_);
}

// Particles change place and rank in sub-steps, too. They end where direct summation with short steps takes them, within the accuracy of
// forces.
TEST_P(DividedSteps, KeepsEveryParticleWhereTheyMoveBetweenRanks) {
  const ParticleSet all = plummer(1500);
  const auto sim = started(gravity(0.02), block(0.002), all, comm_);
  take_steps(*sim, 1.0 / 16, 4);
  const ParticleSet found = collected(*sim, comm_);
  const ParticleSet& expected = exact_after_four_steps(comm_);
  EXPECT_EQ(found.id, all.id);
  EXPECT_EQ(found.mass, all.mass);
  std::vector<double> apart;
  for (std::size_t i = 0; i < all.size(); ++i) apart.push_back(distance(found.position, expected.position, i));
  EXPECT_LE(median(apart), 1e-4);
  EXPECT_GT(sim->rung_work().size(), 2U);
}

TEST_P(DividedSteps, GoBackInTime) {
  const ParticleSet all = plummer(500);
  const auto sim = started(gravity(0.05), block(0.01), all, comm_);
  take_steps(*sim, 1.0 / 16, 4);
  take_steps(*sim, -1.0 / 16, 4);
  const ParticleSet back = collected(*sim, comm_);
  EXPECT_EQ(sim->time(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_LE(distance(back.position, all.position, i), 1e-3) << i;
}

// So many base steps that the choice is looked at once more.
TEST_P(DividedSteps, ThatAreChosenAreTheSameOnAllRanks) {
  const ParticleSet all = plummer(300);
  const auto sim = started(gravity(0.02), {.steps = steps::automatic, .accuracy = 0.01}, all, comm_);
  EXPECT_TRUE(sim->choice_of_steps().empty());
  const double energy = sim->diagnostics().total_energy();
  take_steps(*sim, 1.0 / 32, 70);
  EXPECT_FALSE(sim->choice_of_steps().empty());
  EXPECT_EQ(collected(*sim, comm_).id, all.id);
  EXPECT_NEAR(sim->diagnostics().total_energy() / energy, 1, 0.01);
}

std::string method_of(const testing::TestParamInfo<std::string>& test) { return test.param; }
INSTANTIATE_TEST_SUITE_P(All, DividedSteps, testing::Values("direct", "tree", "fmm"), method_of);

TEST(DividedStepErrors, AParticleThatWantsTooShortAStepIsNamed) {
  const Communicator comm(MPI_COMM_WORLD);
  ParticleSet all = plummer(200);
  all.position[3 * 17] = all.position[3 * 18] + 1e-4;
  for (std::size_t k = 1; k < 3; ++k) all.position[3 * 17 + k] = all.position[3 * 18 + k];
  const auto sim = started(direct_gravity(1e-4), block(0.025, 1.0 / 1024), all, comm);
  try {
    take_steps(*sim, 1.0 / 16, 1);
    FAIL() << "no error";
  } catch (const AgreedError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("the particle with id 1"), std::string::npos) << words;
    EXPECT_NE(words.find("time.dt_min = 0.000976"), std::string::npos) << words;
    EXPECT_NE(words.find("2^7 or more"), std::string::npos) << words;
  }
}

// A shorter base step has fewer rungs.
TEST(DividedStepErrors, ARungOfALongerBaseStepIsNoMistake) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto sim = started(direct_gravity(0.1), block(0.002, 0.01), ellipse(0), comm);
  take_steps(*sim, 0.1, 1);
  EXPECT_GE(sim->rung_work().size(), 3U);
  EXPECT_NO_THROW(sim->step(0.012));
}

// Each rank holds the whole core, and sums over its pairs.
TEST(DividedStepErrors, ACoreOfTooManyIsAnErrorInWords) {
  const Communicator comm{MPI_COMM_WORLD};
  GravityParameters gravity;
  gravity.softening = 0.01;
  const auto sim = started(gravity, with_core(block(), 0), plummer(70000), comm);
  try {
    sim->step_to(1, 1);
    FAIL();
  } catch (const AgreedError& error) {
    EXPECT_NE(std::string(error.what()).find("of the core, which can take 65536"), std::string::npos) << error.what();
  }
}

TEST(DividedStepErrors, SofteningIsNeededByTheCriterionThatHasIt) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_THROW(make_simulation(test_device(), direct_gravity(0), comm, {.steps = block()}), ConfigError);
  StepParameters steps = block();
  steps.criterion = "potential";
  EXPECT_NO_THROW(make_simulation(test_device(), direct_gravity(0), comm, {.steps = steps}));
  steps.criterion = "tidall";
  EXPECT_THROW(make_simulation(test_device(), direct_gravity(0.1), comm, {.steps = steps}), ConfigError);
  EXPECT_THROW(make_simulation(test_device(), direct_gravity(0.1), comm, {.integrator = "yoshida4", .steps = block()}), ConfigError);
}

class FewParticles : public testing::TestWithParam<std::string> {};

// Also with fewer particles than ranks.
TEST_P(FewParticles, HaveSteps) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const char* method : {"direct", "tree", "fmm"}) {
    GravityParameters gravity{.method = method};
    gravity.softening = 0.1;
    for (const std::uint64_t n : {1, 2, 3}) {
      const auto sim = started(gravity, {.steps = GetParam()}, plummer(n), comm);
      take_steps(*sim, 1.0 / 16, 16);
      EXPECT_EQ(collected(*sim, comm).size(), n);
    }
    ParticleSet tracers = plummer(50);
    std::fill(tracers.mass.begin(), tracers.mass.end(), 0.0);
    const auto sim = started(gravity, {.steps = GetParam()}, tracers, comm);
    take_steps(*sim, 1.0 / 16, 4);
    const ParticleSet moved = collected(*sim, comm);
    for (std::size_t i = 0; i < moved.position.size(); ++i)
      EXPECT_NEAR(moved.position[i], tracers.position[i] + tracers.velocity[i] / 4, 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(All, FewParticles, testing::Values("adaptive", "block", "auto"), method_of);

class Criterion : public testing::TestWithParam<StepCriterionInfo> {
 protected:
  const Communicator comm_{MPI_COMM_WORLD};
};

// An eccentric pair: where it is close it needs shorter steps, and the error falls with the square of the step.
TEST_P(Criterion, ShortensStepsWhereTheyAreNeeded) {
  double last = 0;
  for (const double accuracy : {0.01, 0.0025}) {
    // Of the one criterion the step goes with the root of the accuracy.
    StepParameters steps = adaptive(GetParam().name == "softening" ? accuracy : std::sqrt(accuracy));
    steps.criterion = GetParam().name;
    const auto sim = started(direct_gravity(0.02), steps, ellipse(0.9), comm_);
    std::size_t finest = 0, coarsest = 99;
    const double energy = sim->diagnostics().total_energy();
    double error = 0;
    for (int i = 1; i <= 64; ++i) {
      sim->step_to(ellipse_period * i / 64, ellipse_period / 64);
      error = std::max(error, std::abs(sim->diagnostics().total_energy() / energy - 1));
      if (sim->rung_work().empty()) continue;
      finest = std::max(finest, sim->rung_work().size());
      coarsest = std::min(coarsest, sim->rung_work().size());
    }
    EXPECT_GE(finest, coarsest + 2);
    if (last > 0) {
      EXPECT_GE(last, 3 * error);
    }
    last = error;
  }
  EXPECT_LE(last, 0.02);
}

TEST_P(Criterion, SaysWhatItIs) {
  EXPECT_FALSE(GetParam().meaning.empty());
  EXPECT_FALSE(GetParam().source.empty());
}

std::string name_of(const testing::TestParamInfo<StepCriterionInfo>& test) { return test.param.name; }
INSTANTIATE_TEST_SUITE_P(All, Criterion, testing::ValuesIn(step_criterion_infos()), name_of);

}  // namespace
}  // namespace grove::tests
