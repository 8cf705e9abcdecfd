// Newton's third law, and direct sums that serve several simulations.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "src/bench/force_errors.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

TEST(ForceBalance, IsTheSumOfTheForcesOfAllRanks) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const GravityParameters& gravity : {tree_gravity("barnes", 0.8, 0.01), fmm_gravity(1e-3, 0.01)}) {
    SCOPED_TRACE(gravity.method);
    const auto sim = simulation(gravity, comm);
    sim->start(share_of(plummer(5000), comm), 0);
    const ForceBalance balance = sim->force_balance();
    const ParticleSet all = collected(*sim, comm);
    double net[3] = {}, absolute = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) net[k] += all.mass[i] * all.acceleration[3 * i + k];
      absolute += all.mass[i] * norm(all.acceleration[3 * i], all.acceleration[3 * i + 1], all.acceleration[3 * i + 2]);
    }
    EXPECT_NEAR(balance.absolute / absolute, 1, 1e-12);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(balance.net[k] / absolute, net[k] / absolute, 1e-14);
    EXPECT_DOUBLE_EQ(balance.relative(), norm(balance.net[0], balance.net[1], balance.net[2]) / balance.absolute);
    // Errors of single forces are some 1e-4 and have no common direction; but a tree is not symmetric, and they do not cancel to nothing.
    EXPECT_LT(balance.relative(), 2e-4);
    EXPECT_GT(balance.relative(), 1e-12);
  }
}

TEST(ForceBalance, OfDirectSummationIsRounding) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto sim = simulation(direct_gravity(0.01), comm);
  sim->start(share_of(plummer(3000), comm), 0);
  EXPECT_LT(sim->force_balance().relative(), 1e-15);
}

TEST(ForceBalance, OfNoForceIsZero) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto sim = simulation(direct_gravity(0), comm);
  sim->start(share_of(plummer(1), comm), 0);
  EXPECT_EQ(sim->force_balance().relative(), 0);
}

TEST(ReferenceForces, OfOneSimulationServeAnother) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet all = plummer(6000);
  const auto first = simulation(direct_gravity(0.01), comm), second = simulation(tree_gravity("barnes", 0.7, 0.01), comm);
  first->start(share_of(all, comm), 0);
  second->start(share_of(all, comm), 0);
  const ReferenceForces reference = first->reference_forces(500, default_sample_seed);
  ASSERT_EQ(reference.id.size(), 500u);
  ASSERT_EQ(reference.acceleration.size(), 1500u);
  const ForceErrors own = force_errors(second->sample_force_error(500, default_sample_seed));
  const ForceErrors others = force_errors(second->compare_forces(reference));
  EXPECT_EQ(others.targets, 500u);
  // The direct sums of both run in another order.
  EXPECT_NEAR(others.acceleration.p99 / own.acceleration.p99, 1, 1e-9);
  EXPECT_NEAR(others.potential.median / own.potential.median, 1, 1e-9);
  EXPECT_GT(own.acceleration.median, 1e-6);
}

TEST(ReferenceForces, OfOtherParticlesAreAnError) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto many = simulation(direct_gravity(0.01), comm), few = simulation(direct_gravity(0.01), comm);
  many->start(share_of(plummer(200), comm), 0);
  few->start(share_of(plummer(100), comm), 0);
  const ReferenceForces reference = many->reference_forces(200, 1);
  try {
    few->compare_forces(reference);
    FAIL() << "100 particles are missing";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("of 200 particles with reference forces 100"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace grove::tests
