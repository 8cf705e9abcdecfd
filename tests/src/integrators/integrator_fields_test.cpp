// Fields that an integrator declares for itself: they follow their particles when compute_forces() sorts them and moves them between ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "kernels/particles/particle_transfer.hpp"
#include "src/integrators/integrators.hpp"
#include "src/simulation/force_solver.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {

struct Remember {
  const Double3* velocity;
  Double3* last_velocity;
  std::uint32_t* steps;
  GROVE_HD void operator()(std::size_t i) const {
    last_velocity[i] = velocity[i];
    ++steps[i];
  }
};

/// 1 where the velocity is not the one remembered.
struct Differs {
  const Double3 *velocity, *last_velocity;
  GROVE_HD std::uint64_t operator()(std::size_t i) const {
    const Double3 a = velocity[i], b = last_velocity[i];
    return a.x != b.x || a.y != b.y || a.z != b.z;
  }
};
struct Add {
  GROVE_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

/// The leapfrog, which remembers each particle's velocity before the second kick, and counts its steps.
struct RememberingLeapfrog {
  static IntegratorInfo info() {
    return {.name = "remembering",
            .meaning = "a leapfrog with two fields of its own",
            .source = "",
            .fields = {{.name = "last_velocity", .type = ElementType::f8, .components = 3}, {.name = "steps", .type = ElementType::u4}}};
  }
  explicit RememberingLeapfrog(const SettingValues&) {}

  template <class Space>
  void step(StepContext<Space>& context, double dt) const {
    const Particles<Space>& particles = context.particles();
    context.kick(0.5 * dt);
    context.drift(dt);
    context.space().for_each(particles.size(), Remember{particles.velocity.data(), context.template field<Double3>("last_velocity").data,
                                                        context.template field<std::uint32_t>("steps").data});
    context.compute_forces();
    context.kick(0.5 * dt);
  }
};

namespace {

/// The ids count: the first value of a particle's counter of steps.
constexpr std::uint32_t steps_an_id = 1000;

class IntegratorFields : public testing::Test {
 protected:
  IntegratorFields() { upload(space, with_counters(share_of(plummer(3000, 6), comm)), particles); }

  static GravityParameters gravity() { return fmm_gravity(1e-3, 0.05); }

  ParticleSet with_counters(ParticleSet set) const {
    set.fields = particles.table();
    std::vector<std::uint32_t> steps;
    for (const std::uint64_t id : set.id) steps.push_back(steps_an_id * static_cast<std::uint32_t>(id));
    const auto bytes = std::as_bytes(std::span(steps));
    set.further.push_back({"steps", {bytes.begin(), bytes.end()}});
    return set;
  }

  StepContext<BackEnd> context() {
    return {space,
            particles,
            {[this](double) {
               clock.restart();
               const std::vector<std::uint64_t> before = download(space, particles.id);
               solver->prepare(particles, clock);
               solver->forces(particles, nullptr, clock);
               count_moves(before, download(space, particles.id));
               mismatches += comm.sum(
                   space.transform_reduce(particles.size(), std::uint64_t{0}, Differs{particles.velocity.data(), last_velocity()}, Add{}));
             },
             [] {}}};
  }
  const Double3* last_velocity() {
    return reinterpret_cast<const Double3*>(particles.array(particles.table()->array_of("last_velocity")).data());
  }

  void count_moves(std::vector<std::uint64_t> before, std::vector<std::uint64_t> after) {
    sorted_anew += comm.sum(std::uint64_t{before != after});
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    std::vector<std::uint64_t> left;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(left));
    changed_rank += comm.sum(std::uint64_t{left.size()});
  }

  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = make_space();
  Particles<BackEnd> particles{space, fields_with(RememberingLeapfrog::info().fields)};
  std::unique_ptr<ForceSolver<BackEnd>> solver = make_force_solver(space, comm, gravity());
  PhaseClock<BackEnd> clock{space};
  std::uint64_t mismatches = 0, sorted_anew = 0, changed_rank = 0;
};

template <class T>
std::vector<T> values_of(const ParticleSet& set, const char* name) {
  const std::span<const std::byte> bytes = set.bytes(*set.fields->find(name));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(values.data()));
  return values;
}

TEST_F(IntegratorFields, FollowTheirParticlesThroughSortAndRanks) {
  StepContext<BackEnd> steps = context();
  const std::unique_ptr<Integrator<BackEnd>> integrator =
      detail::make_named<BackEnd>("remembering", {}, static_cast<const std::tuple<RememberingLeapfrog>*>(nullptr));
  ASSERT_NE(integrator, nullptr);
  EXPECT_FALSE(integrator->begins_ahead()) << "its step is one part";
  // First forces; the velocities differ from those remembered, of which there are none yet.
  steps.compute_forces();
  mismatches = sorted_anew = changed_rank = 0;
  constexpr int count = 5;
  constexpr double dt = 0.25;
  for (int i = 0; i < count; ++i) integrator->step(steps, dt);
  EXPECT_EQ(mismatches, 0U) << "right after the forces the velocity is the one remembered";
  EXPECT_GT(sorted_anew, 0U) << "this test has shown nothing";
  if (comm.size() > 1) {
    EXPECT_GT(changed_rank, 0U) << "this test has shown nothing";
  }

  const ParticleSet local = download(space, particles);
  EXPECT_EQ(comm.sum(std::uint64_t{local.size()}), 3000U);
  const auto counter = values_of<std::uint32_t>(local, "steps");
  const auto remembered = values_of<double>(local, "last_velocity");
  ASSERT_EQ(counter.size(), local.size());
  ASSERT_EQ(remembered.size(), 3 * local.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    ASSERT_EQ(counter[i], steps_an_id * local.id[i] + count) << "id " << local.id[i];
    for (std::size_t k = 0; k < 3; ++k) {
      const double kick = 0.5 * dt * local.acceleration[3 * i + k];
      ASSERT_NEAR(remembered[3 * i + k] + kick, local.velocity[3 * i + k], 1e-14) << "id " << local.id[i];
    }
  }
}

// Whatever may change the particles after the last kick, the sums are no longer those that it made.
TEST_F(IntegratorFields, SumsOfAStepAreKnownAfterItsLastKickOnly) {
  StepContext<BackEnd> steps = context();
  steps.compute_forces();
  const std::vector<std::function<void()>> changes{
      [&] { steps.kick(0.1); },        [&] { steps.drift(0.1); },  [&] { steps.kick_and_drift(0.1, 0.1); },
      [&] { steps.compute_forces(); }, [&] { steps.particles(); }, [&] { steps.field<Double3>("last_velocity"); }};
  EXPECT_FALSE(steps.sums());
  for (std::size_t k = 0; k < changes.size(); ++k) {
    steps.last_kick(0.1);
    ASSERT_TRUE(steps.sums()) << k;
    EXPECT_EQ(steps.sums()->kinetic.value(), sum_particles(space, particles).kinetic.value()) << k;
    changes[k]();
    EXPECT_FALSE(steps.sums()) << k;
  }
}

TEST_F(IntegratorFields, HaveTheLengthOfTheParticlesAndStartAtTheirInitialValue) {
  StepContext<BackEnd> steps = context();
  EXPECT_EQ(steps.field<std::uint32_t>("steps").size, particles.size());
  EXPECT_EQ(steps.field<Double3>("last_velocity").size, particles.size());
  EXPECT_THROW(steps.field<double>("spin"), std::logic_error);
  for (const double v : values_of<double>(download(space, particles), "last_velocity")) ASSERT_EQ(v, 0);
}

}  // namespace
}  // namespace grove::tests
