// Fields that an integrator declares for itself: they follow their particles when forces sort them and move them between ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "kernels/particles/particle_transfer.hpp"
#include "src/integrators/integrators.hpp"
#include "src/simulation/step_pipeline.hpp"
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
class RememberingLeapfrog final : public Integrator<BackEnd> {
 public:
  static std::vector<ParticleField> fields() {
    return {{.name = "last_velocity", .type = ElementType::f8, .components = 3}, {.name = "steps", .type = ElementType::u4}};
  }
  bool has_two_parts() const override { return false; }
  void begin(StepContext<BackEnd>&, double) override {}
  void end(StepContext<BackEnd>& context, double dt) override {
    const Particles<BackEnd>& particles = context.particles();
    context.kick(0.5 * dt);
    context.drift(dt);
    context.space().for_each(particles.size(), Remember{particles.velocity.data(), context.field<Double3>("last_velocity").data,
                                                        context.field<std::uint32_t>("steps").data});
    context.compute_forces();
    context.kick(0.5 * dt);
  }
};

namespace {

/// Particles, without steps.
class ParticlesAlone final : public StepContext<BackEnd> {
 public:
  ParticlesAlone(BackEnd& space, Particles<BackEnd>& particles) : space_(space), particles_(particles) {}
  BackEnd& space() override { return space_; }
  Particles<BackEnd>& particles() override { return particles_; }
  void kick(double) override {}
  void drift(double) override {}
  void positions_are_at(double) override {}
  bool has_external_forces() override { return false; }
  void forces_are_set(double) override {}
  const Communicator& comm() override { return comm_; }
  void compute_forces(double, const MarkActive<BackEnd>&) override {}

 private:
  BackEnd& space_;
  const Communicator comm_{MPI_COMM_WORLD};
  Particles<BackEnd>& particles_;
};

/// Counts what happens to the particles during the forces of a solver.
class WatchingSolver final : public ForceSolver<BackEnd> {
 public:
  WatchingSolver(BackEnd& space, const Communicator& comm, const GravityParameters& gravity)
      : space_(space), comm_(comm), solver_(make_force_solver(space, comm, gravity, TransportWay::automatic)) {}

  std::uint64_t mismatches = 0, sorted_anew = 0, changed_rank = 0;

  void prepare(Particles<BackEnd>& particles, PhaseClock<BackEnd>& clock, double, Targets) override {
    const std::vector<std::uint64_t> before = download(space_, particles.id);
    solver_->prepare(particles, clock);
    count_moves(before, download(space_, particles.id));
  }
  void forces(Particles<BackEnd>& particles, const std::uint8_t* active, PhaseClock<BackEnd>& clock,
              const std::function<void()>&) override {
    solver_->forces(particles, active, clock);
    const auto& array = particles.array(particles.table()->array_of("last_velocity"));
    const Differs differs{particles.velocity.data(), reinterpret_cast<const Double3*>(array.data())};
    mismatches += comm_.sum(space_.transform_reduce(particles.size(), std::uint64_t{0}, differs, Add{}));
  }
  std::string transport_description() override { return ""; }
  WorkCounts work_counts() override { return {}; }

 private:
  void count_moves(std::vector<std::uint64_t> before, std::vector<std::uint64_t> after) {
    sorted_anew += comm_.sum(std::uint64_t{before != after});
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    std::vector<std::uint64_t> left;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(left));
    changed_rank += comm_.sum(std::uint64_t{left.size()});
  }

  BackEnd& space_;
  const Communicator& comm_;
  std::unique_ptr<ForceSolver<BackEnd>> solver_;
};

/// The ids count: the first value of a particle's counter of steps.
constexpr std::uint32_t steps_an_id = 1000;

class IntegratorFields : public testing::Test {
 protected:
  IntegratorFields() { upload(space, with_counters(share_of(plummer(3000, 6), comm)), particles); }

  static GravityParameters gravity() { return fmm_gravity(1e-3, 0.05); }

  ParticleSet with_counters(ParticleSet set) const {
    set.fields = particles.table();
    std::vector<std::uint32_t> counters;
    for (const std::uint64_t id : set.id) counters.push_back(steps_an_id * static_cast<std::uint32_t>(id));
    const auto bytes = std::as_bytes(std::span(counters));
    set.further.push_back({"steps", {bytes.begin(), bytes.end()}});
    return set;
  }

  Communicator comm{MPI_COMM_WORLD};
  BackEnd space = make_space();
  Particles<BackEnd> particles{space, fields_with(RememberingLeapfrog::fields())};
  std::unique_ptr<Integrator<BackEnd>> integrator = std::make_unique<RememberingLeapfrog>();
  WatchingSolver solver{space, comm, gravity()};
  ExternalField<BackEnd> external{{}, 1};
  OwnEnergy<BackEnd> own_energy{space, comm, external};
  StepPipeline<BackEnd> steps{{space, comm, particles, solver, *integrator, external, own_energy}};
};

template <class T>
std::vector<T> values_of(const ParticleSet& set, const char* name) {
  const std::span<const std::byte> bytes = set.bytes(*set.fields->find(name));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(values.data()));
  return values;
}

TEST_F(IntegratorFields, FollowTheirParticlesThroughSortAndRanks) {
  EXPECT_FALSE(integrator->has_two_parts());
  // First forces; the velocities differ from those remembered, of which there are none yet.
  steps.recompute_forces();
  solver.mismatches = solver.sorted_anew = solver.changed_rank = 0;
  constexpr int count = 5;
  constexpr double dt = 0.25;
  for (int i = 1; i <= count; ++i) steps.step(i * dt, dt, {});
  EXPECT_EQ(solver.mismatches, 0U) << "right after the forces the velocity is the one remembered";
  EXPECT_GT(solver.sorted_anew, 0U) << "this test has shown nothing";
  if (comm.size() > 1) {
    EXPECT_GT(solver.changed_rank, 0U) << "this test has shown nothing";
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

TEST_F(IntegratorFields, HaveTheLengthOfTheParticlesAndStartAtTheirInitialValue) {
  ParticlesAlone context(space, particles);
  EXPECT_EQ(context.field<std::uint32_t>("steps").size, particles.size());
  EXPECT_EQ(context.field<Double3>("last_velocity").size, particles.size());
  EXPECT_THROW(context.field<double>("spin"), std::logic_error);
  for (const double v : values_of<double>(download(space, particles), "last_velocity")) ASSERT_EQ(v, 0);
}

}  // namespace
}  // namespace grove::tests
