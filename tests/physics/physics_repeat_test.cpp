// The same input on the same ranks gives the same bits.
#include <gtest/gtest.h>
#include <omp.h>

#include <cstring>

#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

/// This rank's particles after some steps, in the order in which the simulation holds them.
ParticleSet run(const GravityParameters& gravity, const Communicator& comm) {
  const auto sim = simulation(gravity, comm);
  sim->start(share_of(plummer(6000), comm), 0);
  for (int i = 0; i < 4; ++i) sim->step(0.05);
  return sim->particles();
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// More threads than a test has cores, so that they come in another order each time.
class ManyThreads {
 public:
  ManyThreads() { omp_set_num_threads(5); }
  ~ManyThreads() { omp_set_num_threads(before_); }

 private:
  int before_ = omp_get_max_threads();
};

TEST(Repeat, TheSameRanksGiveTheSameBits) {
  const Communicator comm(MPI_COMM_WORLD);
  const ManyThreads threads;
  for (const GravityParameters& gravity : {tree_gravity("barnes", 0.7, 0.01), tree_gravity("geometric", 0.7, 0.05, "wendland_c2"),
                                           fmm_gravity(1e-3, 0.01), fmm_gravity(1e-3, 0, 5), direct_gravity(0.01)}) {
    SCOPED_TRACE(gravity.method + ", " + gravity.softening_kernel + ", softening " + std::to_string(gravity.softening));
    const ParticleSet first = run(gravity, comm);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const ParticleSet again = run(gravity, comm);
      EXPECT_TRUE(same_bits(first.id, again.id));
      EXPECT_TRUE(same_bits(first.position, again.position));
      EXPECT_TRUE(same_bits(first.velocity, again.velocity));
      EXPECT_TRUE(same_bits(first.acceleration, again.acceleration));
      EXPECT_TRUE(same_bits(first.potential, again.potential));
    }
  }
}

TEST(Repeat, EnergiesHaveTheSameBits) {
  const Communicator comm(MPI_COMM_WORLD);
  const ManyThreads threads;
  const auto sim = simulation(tree_gravity("barnes", 0.7, 0.01), comm);
  sim->start(share_of(plummer(20000), comm), 0);
  const Diagnostics first = sim->diagnostics();
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Diagnostics again = sim->diagnostics();
    EXPECT_EQ(first.kinetic, again.kinetic);
    EXPECT_EQ(first.potential, again.potential);
    EXPECT_TRUE(std::equal(std::begin(first.momentum), std::end(first.momentum), again.momentum));
    EXPECT_TRUE(std::equal(std::begin(first.angular_momentum), std::end(first.angular_momentum), again.angular_momentum));
    EXPECT_TRUE(std::equal(std::begin(first.centre_of_mass), std::end(first.centre_of_mass), again.centre_of_mass));
  }
}

}  // namespace
}  // namespace grove::tests
