// Trees that are reused for several steps.
#include "src/solver/tree_reuse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "decomposition/domain/order_by_id.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "kernels/tree/tree.hpp"
#include "src/solver/force_solver.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {
namespace {

GroupMotion motion(double growth) { return {1, growth * growth}; }

TEST(TreeReuse, IsOneStepWhereNothingIsKnown) {
  TreeReuse reuse(16);
  EXPECT_EQ(reuse.planned_steps(1e-9), 1);
  reuse.set_motion(motion(1));
  EXPECT_EQ(reuse.planned_steps(0), 1);
  TreeReuse single(1);
  single.set_motion(motion(1));
  EXPECT_EQ(single.planned_steps(1e-9), 1);
  EXPECT_FALSE(single.needs_motion(1));
}

TEST(TreeReuse, IsShorterTheFasterBoxesGrow) {
  TreeReuse reuse(16);
  reuse.set_motion(motion(10));
  EXPECT_EQ(reuse.planned_steps(1e-9), 16);
  EXPECT_EQ(reuse.planned_steps(-1e-9), 16);
  int before = 16;
  for (double drift = 1e-4; drift < 10; drift *= 1.3) {
    const int planned = reuse.planned_steps(drift);
    EXPECT_LE(planned, before);
    EXPECT_EQ(reuse.planned_steps(-drift), planned);
    before = planned;
  }
  EXPECT_EQ(before, 1);
  EXPECT_EQ(reuse.planned_steps(0.0099), 4);
  EXPECT_EQ(reuse.planned_steps(0.0099, true), 7) << "walks for some particles alone";
  // One group in a million that is much faster than the others hardly counts.
  reuse.set_motion({1e6, 1e6 * 100 + 1e6});
  EXPECT_EQ(reuse.planned_steps(0.0099), 4);
  // Particles at one point, with velocities that differ.
  const double infinite = std::numeric_limits<double>::infinity();
  reuse.set_motion({2, infinite});
  EXPECT_EQ(reuse.planned_steps(1e-9), 1);
}

TEST(TreeReuse, EndsAfterItsSteps) {
  TreeReuse reuse(16);
  EXPECT_FALSE(reuse.can_reuse(0.5));
  reuse.begin(3, 0.5);
  EXPECT_TRUE(reuse.can_reuse(0.5));
  EXPECT_FALSE(reuse.can_reuse(0.25));
  EXPECT_FALSE(reuse.can_reuse(-0.5));
  EXPECT_FALSE(reuse.can_reuse(0));
  reuse.begin_step();
  EXPECT_TRUE(reuse.can_reuse(0.5));
  reuse.begin_step();
  EXPECT_FALSE(reuse.can_reuse(0.5));
  reuse.begin(3, 0.5);
  reuse.end();
  EXPECT_FALSE(reuse.can_reuse(0.5));
}

TEST(TreeReuse, NeedsTheMotionOfSomeTreesWhereEachStepHasANewOne) {
  TreeReuse reuse(16);
  EXPECT_TRUE(reuse.needs_motion(1));
  reuse.set_motion(motion(1));
  EXPECT_TRUE(reuse.needs_motion(2));
  int asked = 0;
  for (int tree = 0; tree < 80; ++tree) {
    reuse.begin(1, 0.5);
    if (!reuse.needs_motion(1)) continue;
    ++asked;
    reuse.set_motion(motion(1));
  }
  EXPECT_GE(asked, 5);
  EXPECT_LE(asked, 20);
}

TEST(TreeReuse, IsSavedWithWhatItKnows) {
  TreeReuse reuse(16), restored(16);
  reuse.set_motion(motion(10));
  reuse.begin(5, 0.5);
  reuse.begin_step();
  SavedState state;
  reuse.save(state);
  restored.restore(state);
  for (const double drift : {1e-4, 1e-3, 1e-2, 0.1}) EXPECT_EQ(restored.planned_steps(drift), reuse.planned_steps(drift));
  for (int step = 2; step <= 5; ++step) {
    EXPECT_EQ(restored.can_reuse(0.5), reuse.can_reuse(0.5)) << step;
    restored.begin_step();
    reuse.begin_step();
  }
  restored.begin(5, 0.5);
  restored.reset();
  EXPECT_FALSE(restored.can_reuse(0.5));
  EXPECT_EQ(restored.planned_steps(1e-4), 1);
}

TEST(GroupMotion, IsTheGrowthOfTheBoxAroundEachGroup) {
  BackEnd space = make_space();
  Particles<BackEnd> particles(space);
  ParticleSet set;
  set.resize(6);
  // Two particles of which one moves away, one alone, two at one place and speed, one alone.
  set.position = {0, 0, 0, 2, 1, 0, 5, 5, 5, 1, 1, 1, 1, 1, 1, 9, 9, 9};
  set.velocity = {1, 1, 1, 1, 1, 9, 7, 7, 7, 3, 3, 3, 3, 3, 3, 1, 2, 3};
  upload(space, set, particles);
  const std::vector<std::uint32_t> start{0, 2, 3, 5, 6};
  const auto device_start = upload(space, start);
  const GroupMotion found = motion_in_groups<BackEnd>(space, device_start.view(), particles, 0);
  EXPECT_EQ(found.groups, 4);
  EXPECT_EQ(found.sum_of_squares, 16);
  EXPECT_EQ(found.mean_square(), 4);
  // After a unit of time the first two are 8 apart.
  EXPECT_EQ(motion_in_groups<BackEnd>(space, device_start.view(), particles, 1).sum_of_squares, 1);
  const GroupMotion none = motion_in_groups<BackEnd>(space, {}, particles, 0);
  EXPECT_EQ(none.groups, 0);
  EXPECT_EQ(none.mean_square(), 0);
}

TEST(GroupMotion, OfADividedGroupIsThatOfTheWhole) {
  BackEnd space = make_space();
  Particles<BackEnd> particles(space);
  ParticleSet set;
  set.resize(5);
  // Three parts of a group, in the first of which two particles are close, and a group of one.
  set.position = {0, 0, 0, 0.001, 0, 0, 2, 0, 0, 0, 1, 0, 9, 9, 9};
  set.velocity = {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3};
  upload(space, set, particles);
  const std::vector<std::uint8_t> level{group_bit, 0, division_bit, division_bit, group_bit};
  copy_from_host<BackEnd, std::uint8_t>(space, level, particles.tree_level.view());
  const auto start = upload(space, std::vector<std::uint32_t>{0, 2, 3, 4, 5});
  const GroupMotion found = motion_in_groups<BackEnd>(space, start.view(), particles, 0);
  EXPECT_EQ(found.groups, 2);
  EXPECT_EQ(found.sum_of_squares, 16);
}

/// Steps of a solver, on this rank, with particles of its own.
class Steps {
 public:
  Steps(const GravityParameters& gravity, const ParticleSet& all, const Communicator& comm)
      : comm_(comm), solver_(make_force_solver(space_, comm, gravity, TransportWay::automatic)) {
    upload(space_, share_of(all, comm), particles_);
    clock_.restart();
    solver_->prepare(particles_, clock_);
    solver_->forces(particles_, nullptr, clock_);
  }

  /// Returns whether there was a new tree.
  bool step(double dt, Targets targets = Targets::all) {
    kick_and_drift(space_, particles_, 0.5 * dt, dt);
    clock_.restart();
    solver_->prepare(particles_, clock_, dt, targets);
    return end_step(dt);
  }
  /// The same, with moments that are found ahead; `before_moments` happens before that.
  bool step_ahead(
      double dt, const std::function<void()>& before_moments = [] {}) {
    const MagnitudesAhead magnitudes = solver_->magnitudes_ahead(particles_, dt);
    if (magnitudes.magnitude) ++with_magnitudes;
    end_and_begin(space_, particles_, 0, 0.5 * dt, dt, magnitudes).get();
    before_moments();
    clock_.restart();
    solver_->prepare_ahead(particles_, clock_, dt);
    solver_->prepare(particles_, clock_, dt);
    return end_step(dt);
  }
  /// Prepares a step ahead, which then is not taken.
  void prepare_in_vain(double dt) {
    clock_.restart();
    solver_->prepare_ahead(particles_, clock_, dt);
    solver_->forget_ahead();
  }
  int with_magnitudes = 0;  ///< steps in which the solver asked for them
  /// As a snapshot does.
  void use_memory_of_trees() {
    Transport<BackEnd> transport(space_, comm_, TransportWay::automatic);
    transport.connect();
    const OrderById<BackEnd> order(space_, comm_, transport, particles_);
    Scratch<BackEnd, std::byte> all(space_, std::size_t{1} << 22);
    space_.fill_bytes(all.data(), 0xab, std::size_t{1} << 22);
  }
  /// Puts the particle with id 7 at this x.
  void throw_out(double x) {
    std::vector<Double4> position = download(space_, particles_.position);
    const std::vector<std::uint64_t> id = download(space_, particles_.id);
    for (std::size_t i = 0; i < id.size(); ++i)
      if (id[i] == 7) position[i].x = x;
    copy_from_host<BackEnd, Double4>(space_, position, particles_.position.view());
  }
  std::uint64_t imported_cells() { return solver_->work_counts().imported_cells; }
  std::uint64_t pairs() { return solver_->work_counts().particle_particle; }
  ParticleSet particles() { return download(space_, particles_); }

 private:
  bool end_step(double dt) {
    solver_->forces(particles_, nullptr, clock_);
    kick(space_, particles_, 0.5 * dt);
    space_.synchronize();
    const auto phases = clock_.phases();
    return std::any_of(phases.begin(), phases.end(), [](const auto& phase) { return phase.first == "sort"; });
  }

  BackEnd space_ = make_space();
  const Communicator& comm_;
  Particles<BackEnd> particles_{space_};
  PhaseClock<BackEnd> clock_{space_};
  std::unique_ptr<ForceSolver<BackEnd>> solver_;
};

/// Relative errors of the forces on the particles of this rank, in order: those whose id is `first` modulo `stride`.
std::vector<double> errors_of(const ParticleSet& now, const GravityParameters& gravity, const Communicator& comm, std::uint64_t stride = 1,
                              std::uint64_t first = 0) {
  BackEnd space = make_space();
  Particles<BackEnd> particles(space);
  upload(space, now, particles);
  PhaseClock<BackEnd> clock(space);
  clock.restart();
  GravityParameters exact = gravity;
  exact.method = "direct";
  const auto solver = make_force_solver(space, comm, exact, TransportWay::automatic);
  solver->prepare(particles, clock);
  std::vector<std::uint8_t> is_asked(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) is_asked[i] = now.id[i] % stride == first ? 1 : 0;
  const auto asked = upload(space, is_asked);
  solver->forces(particles, asked.data(), clock);
  const ParticleSet direct = download(space, particles);
  std::vector<double> errors;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (is_asked[i] == 0) continue;
    const double* const a = direct.acceleration.data() + 3 * i;
    errors.push_back(distance(now.acceleration, direct.acceleration, i) / norm(a[0], a[1], a[2]));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

/// The error that this part of the forces on the particles of each rank does not exceed, on the rank where it is largest.
double error_of(const ParticleSet& now, const GravityParameters& gravity, const Communicator& comm, double part = 0.99) {
  return comm.max(percentile(errors_of(now, gravity, comm), part));
}

void expect_same_bits(const ParticleSet& a, const ParticleSet& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const ParticleField& field : a.fields->rows()) {
    const auto one = a.bytes(field), other = b.bytes(field);
    EXPECT_TRUE(one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size()) == 0) << field.name;
  }
}

class TreeForSteps : public testing::TestWithParam<GravityParameters> {
 protected:
  static constexpr double dt = 0.002;
  static constexpr int step_count = 40;
  const Communicator comm{MPI_COMM_WORLD};
  const ParticleSet start = two_types(plummer(4000));

  /// Particles of the outer half are of another type.
  static ParticleSet two_types(ParticleSet set) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      const double* const x = set.position.data() + 3 * i;
      set.type[i] = norm(x[0], x[1], x[2]) > 1.3 ? 2 : 1;
    }
    return set;
  }
};

TEST_P(TreeForSteps, IsReusedLongerWhereStepsAreForSomeParticles) {
  Steps for_all(GetParam(), start, comm), for_some(GetParam(), start, comm);
  int trees_for_all = 0, trees_for_some = 0;
  for (int step = 0; step < step_count; ++step) {
    trees_for_all += for_all.step(25 * dt) ? 1 : 0;
    trees_for_some += for_some.step(25 * dt, Targets::some) ? 1 : 0;
  }
  EXPECT_GT(trees_for_some, 1);
  EXPECT_LE(3 * trees_for_some, 2 * trees_for_all) << "trees for all: " << trees_for_all;
}

void expect_errors_of_new_trees(const GravityParameters& gravity, const ParticleSet& start, const Communicator& comm, double dt,
                                int step_count, Targets targets = Targets::all) {
  GravityParameters of_new = gravity;
  of_new.steps_per_tree = 1;
  Steps steps(gravity, start, comm), with_new(of_new, start, comm);
  int trees = 0;
  // Of trees of different ages, and each time of other particles, the same of both: direct sums take most of the time of this test.
  constexpr int every = 3;
  constexpr std::uint64_t stride = 4;
  std::vector<double> errors, errors_of_new;
  const auto add = [&](std::vector<double>& to, Steps& of, int step) {
    const std::vector<double> mine = errors_of(of.particles(), gravity, comm, stride, static_cast<std::uint64_t>(step / every) % stride);
    const std::vector<double> now = comm.all_gather_vectors<double>(mine);
    to.insert(to.end(), now.begin(), now.end());
  };
  for (int step = 0; step < step_count; ++step) {
    trees += steps.step(dt, targets) ? 1 : 0;
    with_new.step(dt);
    if (step % every != 0) continue;
    add(errors, steps, step);
    add(errors_of_new, with_new, step);
  }
  for (std::vector<double>* const each : {&errors, &errors_of_new}) std::sort(each->begin(), each->end());
  EXPECT_LE(trees, step_count / 3);
  EXPECT_GE(trees, 3);
  for (const double part : {0.9, 0.99}) {
    SCOPED_TRACE(part);
    EXPECT_GT(percentile(errors_of_new, part), 0);
    EXPECT_LE(percentile(errors, part), 1.1 * percentile(errors_of_new, part));
  }
}

TEST_P(TreeForSteps, HasTheErrorsOfNewOnes) { expect_errors_of_new_trees(GetParam(), start, comm, dt, step_count); }

TEST_P(TreeForSteps, HasTheErrorsOfNewOnesWhereStepsAreForSomeParticles) {
  expect_errors_of_new_trees(GetParam(), start, comm, 25 * dt, step_count, Targets::some);
}

// Less than 1 % of the particles, outside the cube of the keys. Some move fast.
TEST_P(TreeForSteps, HasTheErrorsOfNewOnesWithOutliers) {
  ParticleSet with_outliers = start;
  for (std::size_t i = 0; i < 8; ++i) {
    with_outliers.position[3 * 400 * i] = 1.5e3 * static_cast<double>(i + 1);
    with_outliers.velocity[3 * 400 * i] = i % 2 == 0 ? 0 : -2e4;
  }
  expect_errors_of_new_trees(GetParam(), with_outliers, comm, dt, step_count);
}

TEST_P(TreeForSteps, IsTheSameWhereItsMemoryWasUsedMeanwhile) {
  Steps undisturbed(GetParam(), start, comm), disturbed(GetParam(), start, comm);
  int trees_of_one = 0, trees_of_other = 0;
  for (int step = 0; step < step_count / 2; ++step) {
    if (step % 3 != 0) disturbed.use_memory_of_trees();
    trees_of_one += undisturbed.step(dt) ? 1 : 0;
    trees_of_other += disturbed.step(dt) ? 1 : 0;
    expect_same_bits(undisturbed.particles(), disturbed.particles());
    if (HasFailure()) return;
  }
  EXPECT_EQ(trees_of_one, trees_of_other);
  EXPECT_LE(trees_of_one, step_count / 4);
}

TEST_P(TreeForSteps, IsNewInEachIfAskedFor) {
  GravityParameters gravity = GetParam();
  gravity.steps_per_tree = 1;
  Steps steps(gravity, start, comm);
  for (int step = 0; step < 4; ++step) EXPECT_TRUE(steps.step(dt)) << step;
}

TEST_P(TreeForSteps, IsNewInEachOfLongSteps) {
  Steps steps(GetParam(), start, comm);
  for (int step = 0; step < 4; ++step) EXPECT_TRUE(steps.step(1.5)) << step;
}

// A tree that is reused after a step of another length would not be in the middle of its steps when it should be.
TEST_P(TreeForSteps, IsNewAfterAStepOfAnotherLength) {
  Steps steps(GetParam(), start, comm);
  for (int step = 0; step < 4; ++step) steps.step(dt);
  EXPECT_FALSE(steps.step(dt));
  EXPECT_TRUE(steps.step(0.5 * dt));
  EXPECT_FALSE(steps.step(0.5 * dt));
  EXPECT_TRUE(steps.step(-0.5 * dt));
}

// A particle that is thrown out of the tree could not be told from those that are so far away.
TEST_P(TreeForSteps, IsNewInEachWithVeryDistantOutliers) {
  ParticleSet with_outliers = start;
  for (std::size_t i = 0; i < 5; ++i) with_outliers.position[3 * 700 * i] = 1e5 * static_cast<double>(i + 1);
  Steps steps(GetParam(), with_outliers, comm);
  for (int step = 0; step < 4; ++step) EXPECT_TRUE(steps.step(dt)) << step;
}

// All that have no particles take part in what ranks agree on.
TEST_P(TreeForSteps, IsKeptByRanksWithoutParticles) {
  ParticleSet heap = two_types(plummer(60));
  Steps steps(GetParam(), heap, comm), disturbed(GetParam(), heap, comm);
  int trees = 0;
  for (int step = 0; step < 20; ++step) {
    if (step % 3 == 0) disturbed.use_memory_of_trees();
    trees += steps.step(1e-4) ? 1 : 0;
    disturbed.step(1e-4);
    expect_same_bits(steps.particles(), disturbed.particles());
  }
  EXPECT_LE(trees, 5);
}

TEST_P(TreeForSteps, HasTheSameBitsWhereItsMomentsAreFoundAhead) {
  Steps ahead(GetParam(), start, comm), one_by_one(GetParam(), start, comm);
  int trees = 0;
  for (int step = 0; step < step_count / 2; ++step) {
    const bool has_new_tree = ahead.step_ahead(dt);
    EXPECT_EQ(has_new_tree, one_by_one.step(dt)) << step;
    trees += has_new_tree ? 1 : 0;
    expect_same_bits(ahead.particles(), one_by_one.particles());
    if (HasFailure()) return;
  }
  EXPECT_LE(trees, step_count / 4);
  EXPECT_EQ(ahead.with_magnitudes, step_count / 2 - trees);
}

// As they are selected for the first step, with a margin.
TEST_P(TreeForSteps, KeepsItsEssentialTrees) {
  Steps steps(GetParam(), start, comm);
  int kept = 0;
  for (int step = 0; step < step_count; ++step) {
    const std::uint64_t before = steps.imported_cells();
    if (!steps.step(dt)) kept += comm.max(steps.imported_cells() == before ? 0 : 1) == 0 ? 1 : 0;
  }
  EXPECT_GE(kept, step_count / 2);
}

// A particle of one cluster is suddenly in another one, of which its rank had only large cells.
TEST_P(TreeForSteps, SelectsEssentialTreesAnewWhenAParticleLeavesTheirMargin) {
  ParticleSet clusters = start;
  for (std::size_t i = 0; i < clusters.size(); ++i) clusters.position[3 * i] += i % 2 == 0 ? 30 : -30;
  for (const bool is_ahead : {false, true}) {
    SCOPED_TRACE(is_ahead ? "ahead" : "not ahead");
    Steps steps(GetParam(), clusters, comm);
    for (int step = 0; step < 4; ++step) steps.step(dt);
    EXPECT_FALSE(steps.step(dt));
    const std::uint64_t before = steps.imported_cells();
    const auto throw_out = [&] { steps.throw_out(30.1); };  // from -30
    if (!is_ahead) throw_out();
    EXPECT_FALSE(is_ahead ? steps.step_ahead(dt, throw_out) : steps.step(dt));
    EXPECT_LE(error_of(steps.particles(), GetParam(), comm, 1), 0.03);
    if (comm.size() > 1) {
      EXPECT_EQ(comm.max(steps.imported_cells() != before ? 1 : 0), 1);
    }
  }
}

// Trees of other ranks that are on their way arrive first.
TEST_P(TreeForSteps, CanBePreparedInVain) {
  Steps steps(GetParam(), start, comm);
  for (int step = 0; step < 4; ++step) steps.step(dt);
  EXPECT_FALSE(steps.step(dt));
  steps.prepare_in_vain(dt);
  // Where something was prepared, the last accelerations are lost, and with them the tree.
  EXPECT_EQ(steps.step(dt), GetParam().method == "fmm" && GetParam().softening_of_type.empty());
  EXPECT_LE(error_of(steps.particles(), GetParam(), comm), 0.01);
  steps.prepare_in_vain(dt);  // at the end
}

// What the walk then finds out, or prepare().
TEST_P(TreeForSteps, GoesWhenAParticleIsThrownOutAhead) {
  Steps steps(GetParam(), start, comm);
  for (int step = 0; step < 4; ++step) steps.step(dt);
  EXPECT_FALSE(steps.step_ahead(dt));
  EXPECT_TRUE(steps.step_ahead(dt, [&] { steps.throw_out(1e9); }));
  EXPECT_LE(error_of(steps.particles(), GetParam(), comm), 0.01);
  Steps others(GetParam(), start, comm);
  for (int step = 0; step < 4; ++step) others.step(dt);
  EXPECT_FALSE(others.step_ahead(dt));
  EXPECT_THROW(others.step_ahead(dt, [&] { others.throw_out(std::numeric_limits<double>::quiet_NaN()); }), PositionsNotFinite);
}

// A sphere that has left the place of its keys before the middle of a tree's reuse.
TEST_P(TreeForSteps, IsNoMoreWorkWhereAllMoveTogether) {
  ParticleSet moving = start;
  for (std::size_t i = 0; i < moving.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) moving.velocity[3 * i + k] += 1e4;
  GravityParameters of_new = GetParam();
  of_new.steps_per_tree = 1;
  Steps steps(GetParam(), moving, comm), with_new(of_new, moving, comm);
  int trees = 0;
  double pairs = 0, pairs_of_new = 0;
  for (int step = 0; step < step_count / 2; ++step) {
    trees += steps.step(dt) ? 1 : 0;
    with_new.step(dt);
    pairs += static_cast<double>(comm.sum(steps.pairs()));
    pairs_of_new += static_cast<double>(comm.sum(with_new.pairs()));
  }
  EXPECT_LE(trees, step_count / 4);
  EXPECT_LE(pairs, 1.15 * pairs_of_new);
}

// One that leaves its cell for a place so far away that FP32 offsets could not tell the others of its group apart.
TEST_P(TreeForSteps, GoesWhenAParticleIsThrownOut) {
  Steps steps(GetParam(), start, comm);
  for (int step = 0; step < 4; ++step) steps.step(dt);
  EXPECT_FALSE(steps.step(dt));
  steps.throw_out(1e9);
  EXPECT_TRUE(steps.step(dt));
  EXPECT_LE(error_of(steps.particles(), GetParam(), comm), 0.01);
  steps.throw_out(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(steps.step(dt), PositionsNotFinite);
}

std::string name_of(const testing::TestParamInfo<GravityParameters>& test) {
  return test.param.method + (test.param.softening_of_type.empty() ? "" : "_of_two_classes") +
         (test.param.order == 5 ? "_with_harmonic_terms" : "");
}
INSTANTIATE_TEST_SUITE_P(All, TreeForSteps,
                         testing::Values(fmm_gravity(1e-3, 0.02), tree_gravity("barnes", 0.7, 0.02),
                                         GravityParameters{
                                             .method = "fmm", .softening = 0.05, .softening_of_type = {0.02, 0.02, 0.05, 0.02, 0.02, 0.02}},
                                         GravityParameters{.method = "fmm", .softening = 0.002, .order = 5}),
                         name_of);

}  // namespace
}  // namespace grove::tests
