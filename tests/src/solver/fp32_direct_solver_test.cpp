// fmm and tree on one rank use direct summation up to a number of particles, and nothing else changes.
#include <gtest/gtest.h>

#include "kernels/particles/particle_transfer.hpp"
#include "src/simulation/require_finite.hpp"
#include "src/solver/force_method.hpp"
#include "src/solver/force_solver.hpp"
#include "tests/support/physics_support.hpp"
#include "tests/support/space_support.hpp"

namespace grove::tests {
namespace {

class DirectSummation : public testing::TestWithParam<const char*> {
 protected:
  const Communicator comm_{MPI_COMM_WORLD};
  GravityParameters gravity_{.method = GetParam(), .softening = 0.01, .all_pairs_up_to = 10000};

  std::vector<double> accelerations(const ParticleSet& particles, const GravityParameters& gravity) const {
    const auto sim = simulation(gravity, comm_);
    sim->start(share_of(particles, comm_), 0);
    return collected(*sim, comm_).acceleration;
  }
};

TEST_P(DirectSummation, IsUsedOnOneRankUpToANumberOfParticles) {
  const bool on_gpu = test_device() == "gpu";
  const std::uint64_t most = on_gpu ? 10000 : 1250;
  EXPECT_TRUE(uses_direct_summation(gravity_, most, 1, on_gpu));
  EXPECT_FALSE(uses_direct_summation(gravity_, most + 1, 1, on_gpu));
  EXPECT_FALSE(uses_direct_summation(gravity_, most, 2, on_gpu));
  GravityParameters other = gravity_;
  other.method = "direct";
  EXPECT_FALSE(uses_direct_summation(other, most, 1, on_gpu));
  other = gravity_;
  other.softening_of_type = {0.01, 0.02};
  EXPECT_FALSE(uses_direct_summation(other, most, 1, on_gpu));
  for (const std::uint64_t n : {most, most + 1}) {
    const auto sim = simulation(gravity_, comm_);
    sim->start(share_of(plummer(n), comm_), 0);
    const std::uint64_t pairs = comm_.sum(sim->work_counts().particle_particle);
    if (comm_.size() == 1 && n == most)
      EXPECT_EQ(pairs, n * n);
    else
      EXPECT_LT(pairs, n * n);
  }
}

TEST_P(DirectSummation, HasTheForcesOfTheMethodDirect) {
  const ParticleSet particles = plummer(1000);
  const std::vector<double> found = accelerations(particles, gravity_), right = accelerations(particles, direct_gravity(0.01));
  const double limit = comm_.size() == 1 ? 1e-5 : 2e-2;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double error = norm(found[3 * i] - right[3 * i], found[3 * i + 1] - right[3 * i + 1], found[3 * i + 2] - right[3 * i + 2]);
    EXPECT_LE(error, limit * std::max(norm(right[3 * i], right[3 * i + 1], right[3 * i + 2]), 1e-3)) << i;
  }
}

// Where FP64 takes no longer: the two bodies of an ellipse, without softening.
TEST_P(DirectSummation, OfVeryFewIsInFp64) {
  gravity_.softening = 0;
  GravityParameters direct = gravity_;
  direct.method = "direct";
  const ParticleSet two = ellipse(0.9);
  if (comm_.size() == 1) {
    EXPECT_EQ(accelerations(two, gravity_), accelerations(two, direct));
  }
}

TEST_P(DirectSummation, OfVeryFewIsInFp64AlsoForAnActivePartOfThem) {
  if (comm_.size() > 1) GTEST_SKIP() << "on one rank alone";
  const ParticleSet few = plummer(10);
  GravityParameters direct = gravity_;
  direct.method = "direct";
  BackEnd space = make_space();
  const auto forces = [&](const GravityParameters& gravity, const std::vector<std::uint8_t>& mask) {
    Particles<BackEnd> particles(space);
    upload(space, few, particles);
    space.fill_bytes(particles.acceleration.data(), 0, few.size() * sizeof(Double4));
    PhaseClock<BackEnd> clock(space);
    clock.restart();
    const auto solver = make_force_solver(space, comm_, gravity, TransportWay::automatic, few.size());
    solver->prepare(particles, clock);
    solver->forces(particles, upload(space, mask).data(), clock);
    std::vector<double> numbers;
    for (const Double4& a : download(space, particles.acceleration)) numbers.insert(numbers.end(), {a.x, a.y, a.z, a.w});
    return numbers;
  };
  const std::vector<std::uint8_t> part{0, 1, 0, 0, 1, 1, 0, 0, 0, 1};
  EXPECT_EQ(forces(gravity_, part), forces(direct, part));
}

TEST_P(DirectSummation, HasTheSameBitsAfterARestart) {
  const ParticleSet particles = plummer(700);
  const auto whole = simulation(gravity_, comm_), part = simulation(gravity_, comm_);
  whole->start(share_of(particles, comm_), 0);
  whole->step(0.01);
  SavedState saved;
  whole->save(saved);
  part->resume(whole->particles(), saved);
  for (Simulation* sim : {whole.get(), part.get()})
    for (int i = 0; i < 3; ++i) sim->step(0.01);
  const ParticleSet a = whole->particles(), b = part->particles();
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
}

TEST_P(DirectSummation, KeepsTheEnergy) {
  const auto sim = simulation(gravity_, comm_);
  sim->start(share_of(plummer(500), comm_), 0);
  const double before = sim->diagnostics().total_energy();
  for (int i = 0; i < 20; ++i) sim->step(0.001);
  EXPECT_NEAR(sim->diagnostics().total_energy() / before, 1, 1e-4);
}

TEST_P(DirectSummation, OfPositionsThatAreNotFiniteIsAnError) {
  ParticleSet particles = plummer(300);
  particles.position[30] = std::nan("");
  EXPECT_THROW(simulation(gravity_, comm_)->start(share_of(particles, comm_), 0), NotFiniteError);
  particles = plummer(300);
  particles.velocity[30] = 1e308;
  const auto sim = simulation(gravity_, comm_);
  sim->start(share_of(particles, comm_), 0);
  EXPECT_THROW(sim->step(1e10), NotFiniteError);
}

INSTANTIATE_TEST_SUITE_P(Methods, DirectSummation, testing::Values("fmm", "tree"));

}  // namespace
}  // namespace grove::tests
