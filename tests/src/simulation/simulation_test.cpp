// A simulation as a whole: what one run leaves behind for the next, and what it knows of its time and fields.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <ostream>
#include <utility>

#include "kernels/base/error.hpp"
#include "tests/support/physics_support.hpp"

namespace grove {

void PrintTo(const GravityParameters& gravity, std::ostream* stream) { *stream << gravity.method << ", " << gravity.opening; }

}  // namespace grove

namespace grove::tests {
namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_same_bits(const ParticleSet& found, const ParticleSet& expected) {
  EXPECT_TRUE(same_bits(found.id, expected.id));
  EXPECT_TRUE(same_bits(found.position, expected.position));
  EXPECT_TRUE(same_bits(found.velocity, expected.velocity));
  EXPECT_TRUE(same_bits(found.mass, expected.mass));
  EXPECT_TRUE(same_bits(found.type, expected.type));
  EXPECT_TRUE(same_bits(found.acceleration, expected.acceleration));
  EXPECT_TRUE(same_bits(found.potential, expected.potential));
  EXPECT_TRUE(same_bits(found.work, expected.work));
}

class Start : public testing::TestWithParam<GravityParameters> {
 protected:
  const Communicator comm_{MPI_COMM_WORLD};
};

// Forces of an opening criterion that looks at earlier accelerations depend on whether there are any: those of the first run must not be
// taken for the second one's.
TEST_P(Start, ASecondOneGivesTheSameBitsAsAFreshSimulation) {
  const ParticleSet first = share_of(plummer(2000, 1), comm_), second = share_of(plummer(3000, 2), comm_);
  const auto used = simulation(GetParam(), comm_), fresh = simulation(GetParam(), comm_);
  used->start(first, 0);
  for (int i = 0; i < 3; ++i) used->step(0.05);
  used->start(second, 7);
  fresh->start(second, 7);
  EXPECT_EQ(used->time(), 7);
  {
    SCOPED_TRACE("first forces");
    expect_same_bits(used->particles(), fresh->particles());
  }
  const WorkCounts of_used = used->work_counts(), of_fresh = fresh->work_counts();
  EXPECT_EQ(of_used.particle_particle, of_fresh.particle_particle);
  EXPECT_EQ(of_used.opening_tests, of_fresh.opening_tests);
  for (Simulation* sim : {used.get(), fresh.get()})
    for (int i = 0; i < 2; ++i) sim->step(0.05);
  {
    SCOPED_TRACE("after two steps");
    expect_same_bits(used->particles(), fresh->particles());
  }
  EXPECT_EQ(used->time(), fresh->time());
  EXPECT_EQ(used->diagnostics().total_energy(), fresh->diagnostics().total_energy());
}

std::string name_of(const testing::TestParamInfo<GravityParameters>& test) { return test.param.method + "_" + test.param.opening; }
INSTANTIATE_TEST_SUITE_P(All, Start,
                         testing::Values(fmm_gravity(1e-3, 0.01), GravityParameters{.method = "tree", .opening = "relative"},
                                         tree_gravity("barnes", 0.6, 0.01), direct_gravity(0.01)),
                         name_of);

/// A method, and whether it is for direct summation on one rank.
struct OverlapCase {
  GravityParameters gravity;
  std::string integrator = "leapfrog";
};
void PrintTo(const OverlapCase& c, std::ostream* stream) { *stream << c.gravity.method << ", " << c.integrator; }

class Overlap : public testing::TestWithParam<OverlapCase> {
 protected:
  std::unique_ptr<Simulation> started() const {
    auto sim = make_simulation(test_device(), GetParam().gravity, comm_, {.integrator = GetParam().integrator});
    sim->start(share_of(plummer(4000, 1), comm_), 0);
    return sim;
  }
  static StepOverlap overlap_if(bool overlaps, std::function<void()> host_work = {}) {
    return {overlaps ? std::optional<double>(dt_) : std::nullopt, std::move(host_work)};
  }
  const Communicator comm_{MPI_COMM_WORLD};
  static constexpr double dt_ = 0.002;
};

// Some steps overlap and some do not, as in a run with snapshots.
TEST_P(Overlap, StepsHaveTheSameBits) {
  const auto overlapped = started(), one_by_one = started();
  int begun = 0, host_works = 0;
  for (int step = 1; step <= 24; ++step) {
    overlapped->step_to(step * dt_, dt_, overlap_if(step % 5 != 0, [&] { ++host_works; }));
    EXPECT_EQ(host_works, step) << "each once, whenever";
    one_by_one->step_to(step * dt_, dt_);
    EXPECT_EQ(overlapped->time(), one_by_one->time());
    begun += overlapped->is_synchronised() ? 0 : 1;
    const Diagnostics a = overlapped->diagnostics(), b = one_by_one->diagnostics();
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.kinetic, b.kinetic) << step;
    EXPECT_EQ(a.potential, b.potential) << step;
    for (int k = 0; k < 3; ++k) EXPECT_EQ(a.angular_momentum[k], b.angular_momentum[k]) << step;
    EXPECT_FALSE(overlapped->phase_times().empty());
    if (step % 5 != 0) continue;
    EXPECT_TRUE(overlapped->is_synchronised());
    expect_same_bits(overlapped->particles(), one_by_one->particles());
  }
  EXPECT_EQ(begun, 20);
}

TEST_P(Overlap, OnlyTheStepThatHasBegunMayFollow) {
  const auto sim = started();
  EXPECT_TRUE(sim->is_synchronised());
  sim->step_to(dt_, dt_, overlap_if(true));
  ASSERT_FALSE(sim->is_synchronised());
  SavedState state;
  EXPECT_THROW(sim->particles(), std::logic_error);
  EXPECT_THROW(sim->columns(), std::logic_error);
  EXPECT_THROW(sim->save(state), std::logic_error);
  EXPECT_THROW(sim->compute_forces(), std::logic_error);
  EXPECT_THROW(sim->force_balance(), std::logic_error);
  EXPECT_THROW(sim->reference_forces(1, 1), std::logic_error);
  EXPECT_THROW(sim->step(0.5 * dt_), std::logic_error);
  sim->step(dt_);
  EXPECT_TRUE(sim->is_synchronised());
  EXPECT_EQ(comm_.sum(std::uint64_t{sim->particles().size()}), 4000U);
}

TEST_P(Overlap, ANewStartForgetsTheStepThatHasBegun) {
  const auto used = started();
  for (int step = 0; step < 3; ++step) used->step_to(used->time() + dt_, dt_, overlap_if(true));
  ASSERT_FALSE(used->is_synchronised());
  const auto fresh = started();
  used->start(share_of(plummer(4000, 1), comm_), 0);
  EXPECT_TRUE(used->is_synchronised());
  for (const auto& sim : {used.get(), fresh.get()}) sim->step(dt_);
  expect_same_bits(used->particles(), fresh->particles());
}

TEST_P(Overlap, ARunThatContinuesFromAStateForgetsTheStepThatHasBegun) {
  const auto used = started(), fresh = started();
  for (int step = 0; step < 2; ++step)
    for (const auto& sim : {used.get(), fresh.get()}) sim->step(dt_);
  SavedState state;
  used->save(state);
  const ParticleSet saved = used->particles();
  for (int step = 0; step < 3; ++step) used->step_to(used->time() + dt_, dt_, overlap_if(true));
  ASSERT_FALSE(used->is_synchronised());
  used->resume(saved, state);
  EXPECT_TRUE(used->is_synchronised());
  for (const auto& sim : {used.get(), fresh.get()}) sim->step(dt_);
  expect_same_bits(used->particles(), fresh->particles());
}

GravityParameters with_all_pairs(GravityParameters gravity) {
  gravity.all_pairs_up_to = 100000;
  return gravity;
}
INSTANTIATE_TEST_SUITE_P(All, Overlap,
                         testing::Values(OverlapCase{fmm_gravity(1e-3, 0.01)}, OverlapCase{with_all_pairs(fmm_gravity(1e-3, 0.01))},
                                         OverlapCase{tree_gravity("barnes", 0.6, 0.01)}, OverlapCase{direct_gravity(0.01)},
                                         OverlapCase{fmm_gravity(1e-3, 0.01), "yoshida4"}));

TEST(SimulationWithExternalPotential, NeverOverlapsSteps) {
  const Communicator comm(MPI_COMM_WORLD);
  ExternalParameters point;
  point.potential = "point";
  const auto sim = make_simulation(test_device(), fmm_gravity(1e-3, 0.01), comm, {.external = {point}});
  ParticleSet set = share_of(plummer(300), comm);
  set.fields = sim->fields();
  sim->start(set, 0);
  sim->step_to(0.01, 0.01, {.next_dt = 0.01});
  EXPECT_TRUE(sim->is_synchronised());
}

TEST(SimulationArguments, OutOfTheirRangeAreErrors) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_THROW(make_simulation("tpu", GravityParameters{}, comm), ConfigError);
  const auto refused = [&](const auto& change) {
    GravityParameters gravity;
    change(gravity);
    EXPECT_THROW(make_simulation("cpu", gravity, comm), ConfigError);
  };
  refused([](GravityParameters& gravity) { gravity.G = -1; });
  refused([](GravityParameters& gravity) { gravity.softening = -0.05; });
  refused([](GravityParameters& gravity) { gravity.softening_of_type = {0.1, std::nan("")}; });
  refused([](GravityParameters& gravity) { gravity.tolerance = std::nan(""); });
  refused([](GravityParameters& gravity) { gravity.theta = 0; });
  refused([](GravityParameters& gravity) { gravity.order = 6; });
  refused([](GravityParameters& gravity) { gravity.steps_per_tree = 0; });
}

// One rank has the bad particle, and all throw; the simulation can be started once more.
TEST(SimulationParticles, OfNegativeMassOrUnknownTypeAreErrors) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet good = share_of(plummer(100, 1), comm);
  const auto sim = simulation(fmm_gravity(1e-3, 0.01, 4), comm);
  ParticleSet set = good;
  if (comm.is_root()) set.mass.at(5) = -0.01;
  EXPECT_THROW(sim->start(set, 0), AgreedError);
  set = good;
  if (comm.is_root()) set.type.at(5) = particle_type_count;
  EXPECT_THROW(sim->start(set, 0), AgreedError);
  sim->start(good, 0);
  sim->step(0.01);
  EXPECT_EQ(sim->time(), 0.01);
}

TEST(SimulationTime, IsThatOfTheScheduleAfterEachStep) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto sim = simulation(direct_gravity(0.1), comm);
  sim->start(share_of(plummer(50), comm), -1);
  EXPECT_EQ(sim->time(), -1);
  EXPECT_EQ(sim->diagnostics().time, -1);
  for (int i = 1; i <= 10; ++i) {
    sim->step_to(-1 + i / 10.0, 0.1);
    EXPECT_EQ(sim->time(), -1 + i / 10.0);
    EXPECT_EQ(sim->diagnostics().time, -1 + i / 10.0);
  }
}

TEST(SimulationFields, AreTheStandardOnesAndThoseAskedFor) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto sim = make_simulation(test_device(), fmm_gravity(1e-3, 0.1), comm,
                                   {.further_fields = {{.name = "spin", .type = ElementType::f4, .components = 3, .initial = 2}}});
  ASSERT_NE(sim->fields()->find("spin"), nullptr);
  ParticleSet set = share_of(plummer(300), comm);
  EXPECT_THROW(sim->start(set, 0), std::logic_error) << "particles of another table";
  set.fields = sim->fields();
  sim->start(set, 0);
  sim->step(0.1);
  const ParticleSet after = sim->particles();
  const std::span<const std::byte> bytes = after.bytes(*sim->fields()->find("spin"));
  ASSERT_EQ(bytes.size(), 3 * sizeof(float) * after.size());
  for (std::size_t i = 0; i < 3 * after.size(); ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    ASSERT_EQ(value, 2);
  }
}

}  // namespace
}  // namespace grove::tests
