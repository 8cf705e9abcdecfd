// Forces on many ranks are as accurate as on one, also with few particles a rank. docs/performance.md has the errors of potentials, which
// grow a little faster with the number of ranks.
#include <gtest/gtest.h>

#include "src/simulation/force_solver.hpp"
#include "tests/support/built_tree.hpp"
#include "tests/support/force_comparison.hpp"

namespace grove {
namespace {

constexpr std::size_t particle_count = 16384;

/// Forces by id, on rank 0 of `comm`, after as many evaluations; a particle on no rank or on two has an impossible potential.
std::vector<Double4> forces_on(const Communicator& comm, const GravityParameters& gravity, const std::vector<Double4>& system) {
  BackEnd space = tests::make_space();
  Particles<BackEnd> particles(space);
  PhaseClock<BackEnd> clock(space);
  const auto solver = make_force_solver(space, comm, gravity);
  std::vector<Double4> position;
  std::vector<std::uint64_t> mine;
  for (std::size_t i = static_cast<std::size_t>(comm.rank()); i < system.size(); i += static_cast<std::size_t>(comm.size()))
    position.push_back(system[i]), mine.push_back(i);
  tests::set_particles(space, particles, position, mine);
  particles.has_acceleration = false;
  for (int evaluation = 0; evaluation < 3; ++evaluation) {
    clock.restart();
    solver->prepare(particles, clock);
    solver->forces(particles, nullptr, clock);
  }
  const auto id = tests::download(space, particles.id);
  const auto a = tests::download(space, particles.acceleration);
  std::vector<double> sums(5 * system.size(), 0.0);
  for (std::size_t i = 0; i < id.size(); ++i) {
    const double values[5] = {a[i].x, a[i].y, a[i].z, a[i].w, 1};
    std::copy_n(values, 5, sums.begin() + static_cast<std::ptrdiff_t>(5 * id[i]));
  }
  comm.sum(std::span<double>(sums));
  std::vector<Double4> forces(system.size());
  for (std::size_t i = 0; i < forces.size(); ++i)
    forces[i] = {sums[5 * i], sums[5 * i + 1], sums[5 * i + 2], sums[5 * i + 4] == 1 ? sums[5 * i + 3] : 1e300};
  return forces;
}

void expect_the_errors_of_one_rank(const GravityParameters& gravity, const std::vector<Double4>& system) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const std::vector<Double4> forces = forces_on(world, gravity, system);
  if (!world.is_root()) return;
  BackEnd space = tests::make_space();
  const std::vector<Double4> exact = tests::direct_forces(space, gravity, system);
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
