// Forces on many ranks are as accurate as on one, also with few particles a rank. docs/performance.md has the errors of potentials, which
// grow a little faster with the number of ranks.
#include <gtest/gtest.h>

#include "tests/support/force_comparison.hpp"
#include "tests/support/particle_systems.hpp"
#include "tests/support/shared_system.hpp"

namespace grove {
namespace {

constexpr std::size_t particle_count = 16384;

/// Forces by id, after some evaluations.
std::vector<Double4> forces_on(const Communicator& comm, const GravityParameters& gravity, const std::vector<Double4>& system) {
  BackEnd space = tests::make_space();
  tests::SharedSystem shared(space, comm, gravity, system);
  shared.compute_forces(3);
  return shared.forces_by_id();
}

void expect_the_errors_of_one_rank(const GravityParameters& gravity, const std::vector<Double4>& system) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const std::vector<Double4> forces = forces_on(world, gravity, system);
  if (!world.is_root()) return;
  BackEnd space = tests::make_space();
  const std::vector<Double4>& exact = tests::reference_forces(space, gravity, system);
  const tests::ForceErrors many(forces, exact), one(forces_on(self, gravity, system), exact);
  for (const double fraction : {0.5, 0.9, 0.99}) EXPECT_LT(many.acceleration(fraction), 1.15 * one.acceleration(fraction)) << fraction;
  EXPECT_LT(one.acceleration(0.99), 1e-2);
}

class ForcesOnManyRanks : public testing::TestWithParam<const char*> {};

TEST_P(ForcesOnManyRanks, HaveTheErrorsOfOneRank) {
  for (const double softening : {0.0, 0.02}) {
    SCOPED_TRACE(softening);
    GravityParameters gravity{.method = GetParam(), .softening = softening};
    gravity.tolerance = 2.6e-3;
    expect_the_errors_of_one_rank(gravity, tests::plummer_sphere(particle_count, 11));
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ForcesOnManyRanks, testing::Values("tree", "fmm"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace grove
