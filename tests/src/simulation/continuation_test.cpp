// A simulation that continues from a checkpoint takes the same steps, bit for bit, as one that was not interrupted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "io/snapshots/checkpoint.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "src/integrators/core_limit.hpp"
#include "src/integrators/integrators.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {
namespace {

constexpr double dt = 0.0625;

/// A sphere that collapses while it moves along: domains are cut anew, and the cube of the keys follows.
ParticleSet collapsing_sphere(std::uint64_t n) {
  InitialConditions conditions;
  conditions.generator = "uniform_sphere";
  conditions.n = n;
  ParticleSet all = generate(conditions, 1.0, 0, n);
  for (std::size_t i = 0; i < n; ++i) all.velocity[3 * i] += 1;
  return all;
}

void expect_same_bits(const ParticleSet& a, const ParticleSet& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const ParticleField& field : a.fields->rows()) {
    if (!field.restart) continue;  // of one step
    const auto one = a.bytes(field), other = b.bytes(field);
    ASSERT_EQ(one.size(), other.size()) << field.name;
    EXPECT_TRUE(one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0) << field.name;
  }
}

class ContinuationTest : public testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  std::string path = directory.file("checkpoint_0.hdf5");

  std::unique_ptr<Simulation> make(const GravityParameters& gravity, const std::string& integrator,
                                   const StepParameters& steps = {}) const {
    SimulationSetup setup;
    setup.integrator = integrator;
    setup.steps = steps;
    return make_simulation(test_device(), gravity, comm, setup);
  }
  void save(Simulation& simulation) const {
    SavedState state;
    simulation.save(state);
    const auto columns = simulation.columns();
    write_checkpoint(path, *columns, state, comm, Hdf5Turn());
  }
  void resume(Simulation& simulation) const {
    const SavedState state = read_checkpoint_state(path);
    simulation.resume(read_checkpoint_particles(path, state, comm, simulation.fields()), state);
  }
};

/// Whether the last step had a new tree.
bool has_new_tree(const Simulation& simulation) {
  const std::vector<PhaseTime> phases = simulation.phase_times();
  return std::any_of(phases.begin(), phases.end(), [](const PhaseTime& phase) { return phase.name == "sort"; });
}

TEST_F(ContinuationTest, HasTheBitsOfARunWithoutInterruption) {
  for (const GravityParameters& gravity :
       {fmm_gravity(1e-3, 0.05), tree_gravity("barnes", 0.7, 0.05), tree_gravity("relative", 0.6, 0.05), direct_gravity(0.05)})
    for (const char* integrator : {"leapfrog", "yoshida4", "cash_karp", "adams_bashforth3"}) {
      SCOPED_TRACE(gravity.method + ", " + gravity.opening + ", " + integrator);
      const bool has_rows = !find_integrator_info(integrator)->fields.empty();
      if (has_rows && gravity.method == "tree") continue;  // they use all solvers in one way
      const int steps = gravity.method == "direct" ? 4 : has_rows ? 9 : 24;
      const auto whole = make(gravity, integrator), without_checkpoints = make(gravity, integrator);
      ParticleSet share = share_of(collapsing_sphere(gravity.method == "direct" ? 500 : 2000), comm);
      for (const auto& simulation : {whole.get(), without_checkpoints.get()}) {
        share.fields = simulation->fields();
        simulation->start(share, 0.5);
      }
      auto part = make(gravity, integrator);
      for (int step = 1; step <= steps; ++step) {
        // Interrupted after every third step, each time by a new simulation.
        if (step % 3 == 1) {
          save(*whole);
          part = make(gravity, integrator);
          resume(*part);
          EXPECT_EQ(part->time(), whole->time());
        }
        whole->step(dt);
        part->step(dt);
        without_checkpoints->step(dt);
        expect_same_bits(part->particles(), whole->particles());
        const Diagnostics a = part->diagnostics(), b = whole->diagnostics();
        EXPECT_EQ(a.kinetic, b.kinetic);
        EXPECT_EQ(a.potential, b.potential);
        if (HasFailure()) return;
      }
      expect_same_bits(without_checkpoints->particles(), whole->particles());
    }
}

TEST_F(ContinuationTest, HasTheBitsOfARunWhoseTreesServeSeveralSteps) {
  GravityParameters of_classes = fmm_gravity(1e-3, 0.1);
  of_classes.softening_of_type = {0.05, 0.05, 0.1, 0.05, 0.05, 0.05};
  for (const GravityParameters& gravity : {fmm_gravity(1e-3, 0.05), tree_gravity("barnes", 0.7, 0.05), of_classes}) {
    SCOPED_TRACE(gravity.method + (gravity.softening_of_type.empty() ? "" : ", two classes"));
    const double short_dt = dt / 32;
    ParticleSet start = collapsing_sphere(4000);
    for (std::size_t i = 0; i < start.size(); ++i) start.type[i] = start.position[3 * i] > 0.2 ? 2 : 1;
    const auto whole = make(gravity, "leapfrog");
    whole->start(share_of(start, comm), 0.5);
    auto part = make(gravity, "leapfrog");
    int kept = 0, kept_at_once = 0;
    for (int step = 1; step <= 30; ++step) {
      const bool is_interrupted = step % 7 == 1 || step % 5 == 0;
      if (is_interrupted) {
        save(*whole);
        part = make(gravity, "leapfrog");
        resume(*part);
      }
      whole->step(short_dt);
      part->step(short_dt);
      expect_same_bits(part->particles(), whole->particles());
      EXPECT_EQ(has_new_tree(*part), has_new_tree(*whole)) << step;
      if (HasFailure()) return;
      kept += has_new_tree(*whole) ? 0 : 1;
      kept_at_once += is_interrupted && !has_new_tree(*part) ? 1 : 0;
    }
    EXPECT_GE(kept, 15);
    EXPECT_GE(kept_at_once, 4);
  }
}

TEST_F(ContinuationTest, HasTheBitsOfARunWhoseStepsAreDivided) {
  GravityParameters of_classes = fmm_gravity(1e-3, 0.1);
  of_classes.softening_of_type = {0.02, 0.02, 0.1, 0.02, 0.02, 0.02};
  for (const GravityParameters& gravity : {fmm_gravity(1e-3, 0.02), tree_gravity("barnes", 0.7, 0.02), of_classes, direct_gravity(0.02)})
    for (const auto& [how, core_beyond] : {std::pair(steps::block, std::optional<int>{}),
                                           {steps::block, 2},
                                           {steps::block, all_rungs},
                                           {steps::adaptive, {}},
                                           {steps::shared, {}}}) {
      SCOPED_TRACE(gravity.method + ", " + how + (core_beyond ? ", a core" : "") +
                   (gravity.softening_of_type.empty() ? "" : ", two classes"));
      const StepParameters steps{
          .steps = how, .accuracy = 0.01, .substeps = how == std::string(steps::shared) ? 4U : 1U, .core_beyond = core_beyond};
      ParticleSet start = collapsing_sphere(gravity.method == "direct" ? 300 : 1000);
      for (std::size_t i = 0; i < start.size(); ++i) start.type[i] = start.position[3 * i] > 0.2 ? 2 : 1;
      start.mass[5] *= 40;  // on the finest rung
      const auto whole = make(gravity, "leapfrog", steps);
      ParticleSet share = share_of(start, comm);
      share.fields = whole->fields();
      whole->start(share, 0.5);
      std::unique_ptr<Simulation> part;
      std::size_t finest = 0;
      for (int step = 1; step <= 4; ++step) {
        if (step != 3) {
          save(*whole);
          part = make(gravity, "leapfrog", steps);
          resume(*part);
        }
        whole->step(2 * dt);
        part->step(2 * dt);
        expect_same_bits(part->particles(), whole->particles());
        if (HasFailure()) return;
        finest = std::max(finest, part->rung_work().size());
      }
      EXPECT_GE(finest, 3U);
    }
}

TEST_F(ContinuationTest, HasTheBitsOfARunWhoseExpansionsAreHarmonic) {
  GravityParameters gravity = fmm_gravity(1e-3, 0.005);
  gravity.order = 5;
  const auto whole = make(gravity, "leapfrog");
  whole->start(share_of(collapsing_sphere(4000), comm), 0.5);
  std::unique_ptr<Simulation> part;
  int kept_at_once = 0;
  for (int step = 1; step <= 12; ++step) {
    SavedState state;
    whole->save(state);
    EXPECT_EQ(state.count("tree.is_harmonic"), 1) << step;
    save(*whole);
    part = make(gravity, "leapfrog");
    resume(*part);
    whole->step(dt / 32);
    part->step(dt / 32);
    expect_same_bits(part->particles(), whole->particles());
    if (HasFailure()) return;
    kept_at_once += has_new_tree(*part) ? 0 : 1;
  }
  EXPECT_GE(kept_at_once, 4);
}

TEST_F(ContinuationTest, WithAnotherSolverHasItsForces) {
  const auto fmm = make(fmm_gravity(1e-4, 0.05), "leapfrog"), direct = make(direct_gravity(0.05), "leapfrog");
  fmm->start(share_of(plummer(1000), comm), 0);
  fmm->step(dt);
  save(*fmm);
  resume(*direct);
  save(*direct);
  const auto again = make(fmm_gravity(1e-4, 0.05), "leapfrog");
  resume(*again);
  again->step(dt);
  direct->step(dt);
  const ParticleSet a = collected(*again, comm), b = collected(*direct, comm);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT(distance(a.position, b.position, i), 1e-5);
}

}  // namespace
}  // namespace grove::tests
