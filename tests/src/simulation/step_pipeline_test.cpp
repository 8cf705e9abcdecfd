// The steps of a simulation by themselves: a solver that notes its calls, and integrators of the test's own.
#include "src/simulation/step_pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/particles/particle_transfer.hpp"
#include "src/simulation/require_finite.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {

struct Fall {
  const Double4* position;
  Double4* acceleration;
  double strength;
  /// A force towards the origin, by which each particle oscillates.
  GROVE_HD void operator()(std::size_t i) const {
    const Double4 p = position[i];
    acceleration[i] = {-strength * p.x, -strength * p.y, -strength * p.z, -strength};
  }
};

namespace {

using Words = std::vector<std::string>;

/// Notes what it is called for, with the state of the pipeline at that time.
class NotingSolver final : public ForceSolver<BackEnd> {
 public:
  explicit NotingSolver(BackEnd& space) : space_(space) {}

  Words calls;
  double strength = 1;
  std::function<std::string()> state = [] { return ""; };

  void prepare(Particles<BackEnd>&, PhaseClock<BackEnd>&, double drift, Targets) override { note("prepare " + text(drift)); }
  void prepare_ahead(Particles<BackEnd>&, PhaseClock<BackEnd>&, double drift) override { note("prepare early " + text(drift)); }
  MagnitudesAhead magnitudes_ahead(Particles<BackEnd>&, double drift) override {
    note("magnitudes " + text(drift));
    return {};
  }
  void forces(Particles<BackEnd>& particles, const std::uint8_t*, PhaseClock<BackEnd>& clock,
              const std::function<void()>& meanwhile) override {
    note("forces");
    clock.begin("walk");
    space_.for_each(particles.size(), Fall{particles.position.data(), particles.acceleration.data(), strength});
    if (meanwhile) meanwhile();
  }
  std::string transport_description() override { return ""; }
  WorkCounts work_counts() override { return {}; }

 private:
  static std::string text(double drift) { return drift == 0 ? "0" : drift == 0.25 ? "0.25" : "?"; }
  void note(const std::string& call) { calls.push_back(call + (state().empty() ? "" : ", " + state())); }

  BackEnd& space_;
};

using Part = std::function<void(StepContext<BackEnd>&, double)>;

/// An integrator whose parts are functions; without the first one, its step is one part.
class PartsOfAStep final : public Integrator<BackEnd> {
 public:
  Part first, rest;
  void begin(StepContext<BackEnd>& context, double dt) override {
    if (first) first(context, dt);
  }
  void end(StepContext<BackEnd>& context, double dt) override { rest(context, dt); }
  bool has_two_parts() const override { return bool(first); }
};

void half_kick(StepContext<BackEnd>& context, double length) { context.kick(0.5 * length); }
void up_to_the_forces(StepContext<BackEnd>& context, double length) {
  half_kick(context, length);
  context.drift(length);
  context.compute_forces(length);
}
void leapfrog_step(StepContext<BackEnd>& context, double length) {
  up_to_the_forces(context, length);
  half_kick(context, length);
}

constexpr double dt = 0.25;

/// Particles with a pipeline of their own.
struct Steps {
  explicit Steps(const Communicator& comm, const ParticleSet& start, Part first, Part rest)
      : own_energy(space, comm, external),
        pipeline({space, comm, particles, solver, integrator, external, own_energy}),
        rank(static_cast<std::size_t>(comm.rank())) {
    upload(space, ParticleSet(start), particles);
    integrator.first = std::move(first);
    integrator.rest = std::move(rest);
    pipeline.restart(0);
    pipeline.recompute_forces();
    solver.calls.clear();
  }
  void step(const StepOverlap& overlap = {}) { pipeline.step(pipeline.time() + dt, dt, overlap); }
  /// Of the particles of this rank.
  double kinetic() { return pipeline.sums()[rank].sums.kinetic.value(); }
  std::vector<double> velocities() { return download(space, particles).velocity; }
  std::vector<double> positions() { return download(space, particles).position; }

  BackEnd space = make_space();
  Particles<BackEnd> particles{space};
  NotingSolver solver{space};
  PartsOfAStep integrator;
  ExternalField<BackEnd> external{{}, 1};
  OwnEnergy<BackEnd> own_energy;
  StepPipeline<BackEnd> pipeline;
  std::size_t rank;
};

class StepPipelineTest : public testing::Test {
 protected:
  Steps leapfrog() { return Steps(comm, start, up_to_the_forces, half_kick); }

  Communicator comm{MPI_COMM_WORLD};
  ParticleSet start = share_of(plummer(300, 2), comm);
};

TEST_F(StepPipelineTest, SaysWhereAStepIs) {
  Steps steps = leapfrog();
  steps.solver.state = [&] { return to_string(steps.pipeline.state()); };
  EXPECT_EQ(steps.pipeline.state(), StepState::synchronised);
  steps.step();
  EXPECT_EQ(steps.solver.calls, (Words{"prepare 0.25, in a step", "forces, in a step"}));
  EXPECT_EQ(steps.pipeline.state(), StepState::synchronised);
  steps.solver.calls.clear();
  steps.step({.next_dt = dt});
  EXPECT_EQ(steps.solver.calls, (Words{"prepare 0.25, in a step", "forces, in a step", "magnitudes 0.25, in the next step",
                                       "prepare early 0.25, in the next step, before its first forces"}));
  EXPECT_EQ(steps.pipeline.state(), StepState::next_forces_due);
  EXPECT_EQ(steps.pipeline.time(), 2 * dt);
  steps.step();
  EXPECT_EQ(steps.pipeline.state(), StepState::synchronised);
}

TEST_F(StepPipelineTest, HasTheSameBitsWithAndWithoutOverlap) {
  Steps overlapped = leapfrog(), one_by_one = leapfrog(), one_part(comm, start, {}, leapfrog_step);
  for (int step = 1; step <= 6; ++step) {
    const StepOverlap overlap{.next_dt = step % 3 != 0 ? std::optional<double>(dt) : std::nullopt};
    overlapped.step(overlap);
    one_by_one.step();
    one_part.step(overlap);
    EXPECT_EQ(overlapped.kinetic(), one_by_one.kinetic()) << step;
    EXPECT_EQ(one_part.pipeline.state(), StepState::synchronised) << "it cannot be divided";
    EXPECT_EQ(one_part.velocities(), one_by_one.velocities());
    if (overlap.next_dt) continue;
    EXPECT_EQ(overlapped.velocities(), one_by_one.velocities());
    EXPECT_EQ(overlapped.positions(), one_by_one.positions());
  }
}

// However a step ends, and whatever the integrator does after a kick, the sums are those of the particles as they are.
TEST_F(StepPipelineTest, KnowsTheSumsAtTheEndOfAnyStep) {
  const std::vector<Part> ends{half_kick,
                               [](auto& context, double length) { context.drift(length); },
                               [](auto& context, double) { context.compute_forces(); },
                               [](auto& context, double) { context.particles(); },
                               [](auto& context, double) { context.space(); },
                               [](auto&, double) {}};
  for (std::size_t k = 0; k < ends.size(); ++k) {
    Steps steps(comm, start, up_to_the_forces, [&](auto& context, double length) {
      half_kick(context, length);
      ends[k](context, length);
    });
    steps.step();
    EXPECT_EQ(steps.kinetic(), sum_particles(steps.space, steps.particles).kinetic.value()) << k;
    steps.step({.next_dt = dt});
    Steps same = Steps(comm, start, up_to_the_forces, steps.integrator.rest);
    same.step();
    same.step();
    EXPECT_EQ(steps.kinetic(), same.kinetic()) << k << ", where the next step has begun";
  }
}

TEST_F(StepPipelineTest, ShowsAKickToWhoeverLooksAtTheParticles) {
  std::vector<double> before, after;
  Steps steps(comm, start, {}, [&](auto& context, double) {
    before = download(context.space(), context.particles()).velocity;
    context.kick(1);
    after = download(context.space(), context.particles()).velocity;
  });
  steps.step();
  for (std::size_t k = 0; k < before.size(); ++k) ASSERT_NEAR(after[k], before[k] - start.position[k], 1e-14);
  EXPECT_EQ(steps.velocities(), after);
}

TEST_F(StepPipelineTest, RefusesWhatNeedsAStateThatIsGone) {
  Steps steps = leapfrog();
  steps.step({.next_dt = dt});
  try {
    steps.pipeline.require_no_next_step();
    ADD_FAILURE();
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("t = 0.25"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("in the next step, before its first forces"), std::string::npos) << error.what();
  }
  EXPECT_THROW(steps.pipeline.recompute_forces(), std::logic_error);
  EXPECT_THROW(steps.pipeline.step(2 * dt, 2 * dt, {}), std::logic_error) << "another length";
  EXPECT_EQ(steps.pipeline.time(), dt);
  steps.step();
  EXPECT_NO_THROW(steps.pipeline.require_no_next_step());
}

TEST_F(StepPipelineTest, RefusesAFirstPartThatDoesNotEndWithItsForces) {
  Steps steps(
      comm, start,
      [](auto& context, double length) {
        up_to_the_forces(context, length);
        half_kick(context, length);
      },
      half_kick);
  EXPECT_THROW(steps.step({.next_dt = dt}), std::logic_error);
}

TEST_F(StepPipelineTest, DoesTheWorkOfTheHostOnce) {
  Steps steps = leapfrog();
  Words order;
  steps.solver.state = [&] {
    order.push_back("device");
    return "";
  };
  const auto host_work = [&] { order.push_back("host"); };
  for (int step = 1; step <= 3; ++step) {
    order.clear();
    const bool has_begun = steps.pipeline.state() != StepState::synchronised;
    steps.step({.next_dt = dt, .host_work = host_work});
    ASSERT_EQ(std::count(order.begin(), order.end(), "host"), 1) << step;
    EXPECT_EQ(order.front(), has_begun && BackEnd::on_gpu ? "device" : "host") << step;
  }
}

TEST_F(StepPipelineTest, CanBeLookedAtAndRestartedAfterAStepThatFailed) {
  Steps steps = leapfrog(), fresh = leapfrog();
  steps.step({.next_dt = dt});
  steps.solver.strength = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(steps.step({.next_dt = dt}), NotFiniteError);
  EXPECT_EQ(steps.pipeline.state(), StepState::moving);
  EXPECT_NO_THROW(steps.pipeline.require_no_next_step());
  steps.solver.strength = 1;
  steps.pipeline.restart(0);
  EXPECT_EQ(steps.pipeline.state(), StepState::synchronised);
  upload(steps.space, ParticleSet(start), steps.particles);
  steps.pipeline.recompute_forces();
  steps.step();
  fresh.step();
  EXPECT_EQ(steps.velocities(), fresh.velocities());
}

TEST_F(StepPipelineTest, TimesThePhasesOfTheStepThatHasEnded) {
  Steps steps = leapfrog();
  for (int step = 1; step <= 3; ++step) {
    steps.step({.next_dt = dt});
    Words names;
    for (const auto& phase : steps.pipeline.clock().phases()) names.push_back(phase.first);
    Words expected{"walk", "checks"};
    if (step == 1) expected.insert(expected.begin(), "kick and drift");
    EXPECT_EQ(names, expected) << step;
  }
}

}  // namespace
}  // namespace grove::tests
