// Integrators: the conformance suite of the table in src/integrators/integrators.hpp. A new one joins by being in the table.
#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "kernels/base/error.hpp"
#include "tests/support/physics_support.hpp"

namespace grove {

void PrintTo(const IntegratorInfo& info, std::ostream* stream) { *stream << info.name; }

}  // namespace grove

namespace grove::tests {
namespace {

/// A Plummer sphere with particles of all types and of unequal masses.
ParticleSet sphere(std::uint64_t n) {
  ParticleSet all = plummer(n, 4);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all.type[i] = static_cast<std::uint8_t>(i % particle_type_count);
    all.mass[i] *= 1 + 0.5 * static_cast<double>(i % 3);
  }
  return all;
}

double largest_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; 3 * i < a.size(); ++i) largest = std::max(largest, distance(a, b, i));
  return largest;
}

class Integrator : public testing::TestWithParam<IntegratorInfo> {
 protected:
  std::unique_ptr<Simulation> made(const GravityParameters& gravity, const Communicator& comm) const {
    return make_simulation(test_device(), gravity, comm, {.integrator = GetParam().name});
  }
  std::unique_ptr<Simulation> started(const GravityParameters& gravity, const ParticleSet& all, const Communicator& comm) const {
    return tests::started(made(gravity, comm), all, comm);
  }
  /// Distance of the second body from its place after one period, over the distance from the centre of mass there.
  double error_after_one_period(double eccentricity, int steps) const {
    const ParticleSet start = ellipse(eccentricity);
    const auto sim = started(direct_gravity(0), start, comm_);
    advance(*sim, ellipse_period, steps);
    return distance(collected(*sim, comm_).position, start.position, 1) / start.position[3];
  }

  const Communicator comm_{MPI_COMM_WORLD};
};

// Half the step divides the leading term of the error by 2^order. Where it is small it stands alone, until rounding is reached: the
// smallest errors above that tell the order. Of high orders there is little between the two: dormand_prince comes to 4.85 (with more
// steps to 4.97: runge_kutta_test).
TEST_P(Integrator, TheErrorOfAKeplerEllipseFallsWithItsOrder) {
  if (comm_.size() > 1) GTEST_SKIP() << "GivesTheSameOnOneRankAndOnAll asks for it";
  constexpr double rounding = 5e-13;
  const int most_steps = GetParam().order == 1 ? 4096 : 1024;
  double order = 0, coarse = error_after_one_period(0.3, 32);
  for (int steps = 64; steps <= most_steps; steps *= 2) {
    const double fine = error_after_one_period(0.3, steps);
    if (fine < rounding) break;
    order = std::log2(coarse / fine);
    coarse = fine;
  }
  EXPECT_NEAR(order, GetParam().order, GetParam().order < 5 ? 0.1 : 0.2);
}

// What is left is the rounding of 2 * 300 steps in FP64, of 1e-16 each, grown a little along the orbit.
TEST_P(Integrator, AReversibleOneComesBackToTheStart) {
  if (!GetParam().is_reversible) GTEST_SKIP() << "not reversible";
  const ParticleSet start = ellipse(0.5);
  const auto sim = started(direct_gravity(0), start, comm_);
  advance(*sim, 0.7 * ellipse_period, 300);
  EXPECT_GT(largest_distance(collected(*sim, comm_).position, start.position), 0.1);
  advance(*sim, -0.7 * ellipse_period, 300);
  const ParticleSet back = collected(*sim, comm_);
  EXPECT_LE(largest_distance(back.position, start.position), 1e-13);
  EXPECT_LE(largest_distance(back.velocity, start.velocity), 1e-13);
}

// A symplectic or reversible method keeps an energy that is near the true one: its error goes up and down along every orbit, and is the
// same after many of them. A drift of a hundredth of this in 40 periods would show.
TEST_P(Integrator, AReversibleOneKeepsItsEnergyWithoutDrift) {
  if (!GetParam().is_reversible) GTEST_SKIP() << "not reversible";
  if (comm_.size() > 1) GTEST_SKIP() << "GivesTheSameOnOneRankAndOnAll asks for it";
  constexpr int periods = 40, steps_a_period = 128;
  const auto sim = started(direct_gravity(0), ellipse(0.5), comm_);
  const double begin = sim->diagnostics().total_energy();
  std::vector<double> largest(periods), mean(periods);
  for (std::size_t p = 0; p < periods; ++p)
    for (int i = 0; i < steps_a_period; ++i) {
      advance(*sim, ellipse_period / steps_a_period, 1);
      const double error = sim->diagnostics().total_energy() / begin - 1;
      largest[p] = std::max(largest[p], std::abs(error));
      mean[p] += error / steps_a_period;
    }
  EXPECT_LE(largest.front(), 0.02);
  EXPECT_LE(*std::max_element(largest.begin(), largest.end()), 1.05 * largest.front());
  EXPECT_NEAR(mean.back(), mean.front(), 0.01 * largest.front());
}

// Sums of forces and key cuts depend on the number of ranks in their last bits, and 20 steps let these grow a little.
TEST_P(Integrator, GivesTheSameOnOneRankAndOnAll) {
  const Communicator alone(MPI_COMM_SELF);
  const ParticleSet all = sphere(400);
  const auto one = started(direct_gravity(0.05), all, alone), many = started(direct_gravity(0.05), all, comm_);
  advance(*one, 0.5, 20);
  advance(*many, 0.5, 20);
  const ParticleSet expected = collected(*one, alone), found = collected(*many, comm_);
  EXPECT_EQ(found.id, expected.id);
  EXPECT_GT(largest_distance(expected.position, all.position), 0.1);
  EXPECT_LE(largest_distance(found.position, expected.position), 1e-13);
  EXPECT_LE(largest_distance(found.velocity, expected.velocity), 1e-12);
  EXPECT_EQ(one->time(), 0.5);
  EXPECT_EQ(many->time(), 0.5);
}

// Particles change place and rank in every force evaluation of a step. Half a time unit with a tolerance of 1e-4 leaves them within 2e-5 of
// where direct summation takes them.
TEST_P(Integrator, KeepsEveryParticleWhereTheyMoveBetweenRanks) {
  const ParticleSet all = sphere(1000);
  const auto sim = started(fmm_gravity(1e-4, 0.05), all, comm_), exact = started(direct_gravity(0.05), all, comm_);
  advance(*sim, 0.5, 5);
  advance(*exact, 0.5, 5);
  const ParticleSet found = collected(*sim, comm_), expected = collected(*exact, comm_);
  EXPECT_EQ(found.id, all.id);
  EXPECT_EQ(found.type, all.type);
  EXPECT_EQ(found.mass, all.mass);
  EXPECT_LE(largest_distance(found.position, expected.position), 1e-4);
}

TEST_P(Integrator, SaysWhatItIs) {
  EXPECT_FALSE(GetParam().meaning.empty());
  EXPECT_GE(GetParam().order, 1);
  const IntegratorInfo* const found = find_integrator_info(GetParam().name);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->meaning, GetParam().meaning) << "two integrators of one name";
  const auto sim = made(direct_gravity(0), comm_);
  for (const ParticleField& field : GetParam().fields) EXPECT_NE(sim->fields()->find(field.name), nullptr) << field.name;
}

std::string name_of(const testing::TestParamInfo<IntegratorInfo>& test) { return test.param.name; }
INSTANTIATE_TEST_SUITE_P(All, Integrator, testing::ValuesIn(integrator_infos()), name_of);

TEST(IntegratorTable, RefusesAnUnknownName) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_THROW(make_simulation(test_device(), direct_gravity(0), comm, {.integrator = "leapfog"}), ConfigError);
  EXPECT_EQ(find_integrator_info("leapfog"), nullptr);
}

TEST(IntegratorTable, TheDefaultIsTheFirst) {
  ASSERT_FALSE(integrator_infos().empty());
  EXPECT_EQ(SimulationSetup{}.integrator, integrator_infos().front().name);
}

}  // namespace
}  // namespace grove::tests
