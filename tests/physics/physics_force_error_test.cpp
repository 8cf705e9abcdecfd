// Force errors of the tree against direct summation in FP64, on any number of ranks.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "src/bench/force_errors.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

constexpr std::uint64_t targets = 4000;

double distance_between(const ParticleSet& all, std::size_t i, std::size_t j) {
  return norm(all.position[3 * i] - all.position[3 * j], all.position[3 * i + 1] - all.position[3 * j + 1],
              all.position[3 * i + 2] - all.position[3 * j + 2]);
}

/// Errors of all particles of each `stride`-th of several mergers of two spheres. Single ones have too few particles for a percentile
/// of 99.
std::vector<double> errors_of_mergers(const GravityParameters& gravity, const Communicator& comm, int first = 0, int stride = 1) {
  std::vector<double> errors;
  for (int seed = 1 + first; seed <= 8; seed += stride) {
    InitialConditions conditions;
    conditions.generator = "merger";
    conditions.n = 2000;
    conditions.seed = static_cast<std::uint64_t>(seed);
    const auto sim = simulation(gravity, comm);
    sim->start(share_of(generate(conditions, 1.0, 0, conditions.n), comm), 0);
    const std::vector<double> of_one = sim->sample_force_error(conditions.n, default_sample_seed).acceleration_error;
    errors.insert(errors.end(), of_one.begin(), of_one.end());
  }
  return errors;
}

ForceErrors errors_of(const ParticleSet& all, const GravityParameters& gravity, const Communicator& comm) {
  const auto sim = simulation(gravity, comm);
  sim->start(share_of(all, comm), 0);
  return force_errors(sim->sample_force_error(targets, default_sample_seed));
}

/// The errors that a rank finds alone, each rank for some of `laws`, on every rank; without the highest percentiles.
std::vector<ForceErrors> errors_on_one_rank(const ParticleSet& all, const std::vector<GravityParameters>& laws, const Communicator& comm) {
  std::vector<std::array<double, 8>> values(laws.size());
  const auto rank_of = [&](std::size_t k) { return static_cast<int>(k) % comm.size(); };
  comm.agree([&] {
    const Communicator alone(MPI_COMM_SELF);
    for (std::size_t k = 0; k < laws.size(); ++k) {
      if (rank_of(k) != comm.rank()) continue;
      const ForceErrors e = errors_of(all, laws[k], alone);
      double* value = values[k].data();
      for (const Percentiles& p : {e.acceleration, e.potential})
        for (const double found : {p.median, p.p90, p.p99, p.rms}) *value++ = found;
    }
  });
  std::vector<ForceErrors> errors;
  for (std::size_t k = 0; k < laws.size(); ++k) {
    comm.broadcast(std::span<double>(values[k]), rank_of(k));
    const auto percentiles = [](const double* v) { return Percentiles{v[0], v[1], v[2], 0, 0, v[3]}; };
    errors.push_back({targets, percentiles(values[k].data()), percentiles(values[k].data() + 4)});
  }
  return errors;
}

void expect_within_15_percent(const Percentiles& many, const Percentiles& one) {
  EXPECT_NEAR(many.median / one.median, 1, 0.15);
  EXPECT_NEAR(many.p90 / one.p90, 1, 0.15);
  EXPECT_NEAR(many.p99 / one.p99, 1, 0.15);
  EXPECT_NEAR(many.rms / one.rms, 1, 0.15);
}

// The bounds that Grove promises for a Plummer sphere of 131,072 without softening. With Plummer's, expansions have more terms, or lack a
// little of it, and the same errors.
TEST(ForceError, OfAPlummerSphereIsAsPromisedAndThatOfOneRank) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet all = plummer(131072);
  const struct {
    GravityParameters gravity;
    double bound_99;
  } cases[] = {{tree_gravity("barnes", 0.75, 0), 4.5e-3}, {tree_gravity("barnes", 0.4, 0), 4e-4}, {fmm_gravity(1e-3, 0), 2.5e-3},
               {fmm_gravity(1e-4, 0, 5), 4e-4},           {fmm_gravity(1e-3, 1e-3), 2.5e-3},      {fmm_gravity(1e-4, 1e-3, 5), 4e-4}};
  std::vector<GravityParameters> laws;
  for (const auto& one : cases) laws.push_back(one.gravity);
  std::vector<ForceErrors> on_one_rank;
  if (comm.size() > 1) on_one_rank = errors_on_one_rank(all, laws, comm);
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const auto& [gravity, bound_99] = cases[k];
    SCOPED_TRACE(gravity.method + ", theta " + std::to_string(gravity.theta) + ", tolerance " + std::to_string(gravity.tolerance) +
                 ", softening " + std::to_string(gravity.softening));
    const ForceErrors errors = errors_of(all, gravity, comm);
    EXPECT_EQ(errors.targets, targets);
    EXPECT_LE(errors.acceleration.p99, bound_99);
    EXPECT_LE(errors.potential.p99, 0.1 * bound_99) << "the terms of a potential do not cancel";
    EXPECT_GT(errors.acceleration.median, 1e-6) << "no tree is that good: what was compared with what?";
    if (comm.size() == 1) continue;
    const ForceErrors& alone = on_one_rank[k];
    expect_within_15_percent(errors.acceleration, alone.acceleration);
    expect_within_15_percent(errors.potential, alone.potential);
  }
}

/// A method's errors on a Plummer sphere of 16,384 particles.
struct Case {
  GravityParameters gravity;
  double median, p99;
};

// Of so few particles most are near a border between ranks, where cells are cut.
TEST(ForceError, OfFewParticlesIsThatOfOneRank) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "compares several ranks with one";
  for (const std::string opening : {"geometric", "barnes", "minimal_distance"}) {
    SCOPED_TRACE(opening);
    GravityParameters gravity = fmm_gravity(1e-3, 0);
    gravity.opening = opening;
    // Each rank alone takes some of them.
    const std::vector<double> of_share = errors_of_mergers(gravity, Communicator(MPI_COMM_SELF), comm.rank(), comm.size());
    const Percentiles many = percentiles_of(errors_of_mergers(gravity, comm)),
                      alone = percentiles_of(comm.all_gather_vectors(std::span<const double>(of_share)));
    expect_within_15_percent(many, alone);
    EXPECT_LE(many.p999, 1.15 * alone.p999);
  }
}

// What one rank has in the worst of eight realisations, and up to a fifth more: the errors come from the truncated expansion alone, so that
// a larger one means that a cell was taken which should have been opened, or a wrong moment. The quadrupole's error falls faster than
// theta^3, a factor 6.6 from theta 0.75 to 0.4. Softening changes little, as it should: Plummer's is in the expansion, and within the
// support of a compact kernel no expansion is used.
const Case cases[] = {
    {tree_gravity("geometric", 0.75, 0), 8.5e-4, 4.5e-3},
    {tree_gravity("geometric", 0.4, 0), 9.3e-5, 5.6e-4},
    {tree_gravity("barnes", 0.75, 0), 6.4e-4, 3.9e-3},
    {tree_gravity("barnes", 0.4, 0), 6.9e-5, 4.7e-4},
    {tree_gravity("minimal_distance", 0.75, 0), 2.2e-4, 1.7e-3},
    {tree_gravity("minimal_distance", 0.4, 0), 3.9e-5, 3.1e-4},
    {tree_gravity("barnes", 0.75, 0.01), 6.4e-4, 3.9e-3},
    {tree_gravity("barnes", 0.4, 0.1), 6.8e-5, 4.1e-4},
    {tree_gravity("barnes", 0.75, 0.01, "wendland_c2"), 6.4e-4, 3.9e-3},
    {tree_gravity("barnes", 0.75, 0.1, "wendland_c2"), 5.2e-4, 2.1e-3},
    {tree_gravity("barnes", 0.4, 0.1, "wendland_c2"), 6.7e-5, 4.1e-4},
};

TEST(ForceError, IsBoundedForEveryOpeningCriterionAndSoftening) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet all = plummer(16384);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.gravity.opening + ", theta " + std::to_string(c.gravity.theta) + ", softening " + std::to_string(c.gravity.softening) +
                 " " + c.gravity.softening_kernel);
    const ForceErrors errors = errors_of(all, c.gravity, comm);
    EXPECT_LE(errors.acceleration.median, c.median);
    EXPECT_LE(errors.acceleration.p99, c.p99);
    EXPECT_LE(errors.potential.p99, 4.5e-4) << "potentials add up and their errors are a tenth of the forces'";
  }
}

// As in Bedorf, Gaburov & Portegies Zwart 2012, Fig. 9. Over a factor 64 in number the 99 % error falls a little (measured: 3.9e-3 to
// 2.5e-3) and the median rises a little (4.2e-4 to 5.1e-4): more of the force comes from cells, and each of them is better resolved.
// What docs/performance.md says that the tolerance promises.
TEST(ForceError, IsWithinWhatTheTolerancePromisesForEveryDistribution) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::string generator : {"plummer", "hernquist", "uniform_cube", "disc", "merger"}) {
    InitialConditions conditions;
    conditions.generator = generator;
    conditions.n = 4000;
    const ParticleSet all = generate(conditions, 1.0, 0, conditions.n);
    for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5}) {
      SCOPED_TRACE(testing::Message() << generator << ", tolerance " << tolerance);
      EXPECT_LT(errors_of(all, fmm_gravity(tolerance, 0), comm).acceleration.p99, 3.4 * tolerance * std::pow(1e-3 / tolerance, 0.25));
    }
  }
}

TEST(ForceError, HardlyDependsOnTheNumberOfParticles) {
  const Communicator comm(MPI_COMM_WORLD);
  const GravityParameters gravity = tree_gravity("barnes", 0.75, 0);
  std::optional<ForceErrors> fewest;
  for (const std::uint64_t n : {4096ULL, 32768ULL, 262144ULL}) {
    SCOPED_TRACE("N = " + std::to_string(n));
    const ForceErrors errors = errors_of(plummer(n), gravity, comm);
    if (!fewest) fewest = errors;
    EXPECT_NEAR(std::log2(errors.acceleration.median / fewest->acceleration.median), 0, 0.6);
    EXPECT_LE(errors.acceleration.p99, 1.1 * fewest->acceleration.p99);
    EXPECT_GE(errors.acceleration.p99, 0.4 * fewest->acceleration.p99);
  }
}

// Positions are FP32 offsets from a group's centre, and forces are summed in FP32 in blocks.
TEST(ForceError, FallsToTheRoundingOfFp32WithTheTolerance) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet all = plummer(20000);
  for (const double tolerance : {1e-8, 1e-9})
    EXPECT_LE(errors_of(all, fmm_gravity(tolerance, 0, 5), comm).acceleration.p99, 2e-6) << tolerance;
}

/// A box of side 10^6 filled with 4,000 particles, and pairs in two opposite corners and across its middle at distance 1.
ParticleSet pairs_in_a_box() {
  constexpr double side = 1e6;
  InitialConditions conditions;
  conditions.generator = "uniform_cube";
  conditions.n = 4006;
  conditions.parameters["side"] = side;
  ParticleSet all = generate(conditions, 1.0, 0, conditions.n);
  const double first[3][3] = {{10, 20, 30}, {side - 10.3, side - 20.7, side - 30.9}, {side / 2 - 0.3, side / 2 + 10, side / 2 + 20}};
  for (std::size_t pair = 0; pair < 3; ++pair)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        all.position[3 * (2 * pair + i) + k] = first[pair][k] - side / 2 + (i == 1 ? std::array{0.48, 0.8, 0.36}[k] : 0);
  return all;
}

// Offsets of 10^5 in FP32 would leave a separation of 1 with an error of 10^-2.
TEST(ForceError, OfABoundPairInAHugeBoxIsRounding) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet all = pairs_in_a_box();
  for (const GravityParameters& gravity : {fmm_gravity(1e-3, 0), fmm_gravity(1e-8, 0, 5), tree_gravity("barnes", 0.6, 0)}) {
    SCOPED_TRACE(gravity.method);
    const auto sim = simulation(gravity, comm);
    // The group walk on the GPU has FP32 offsets alone: README says so.
    if (gravity.method == "tree" && test_device() == "gpu") continue;
    sim->start(share_of(all, comm), 0);
    const ParticleSet now = collected(*sim, comm);
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t other = i ^ 1U;
      const double r = distance_between(all, i, other);
      for (std::size_t k = 0; k < 3; ++k) {
        const double exact = all.mass[other] * (all.position[3 * other + k] - all.position[3 * i + k]) / std::pow(r, 3);
        EXPECT_NEAR(now.acceleration[3 * i + k], exact, 2e-6 * all.mass[other] / (r * r)) << "particle " << i;
      }
    }
  }
}

TEST(ForceError, OfDirectSummationIsRounding) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::string kernel : {"plummer", "wendland_c2"})
    for (const double softening : {0.0, 0.05}) {
      const ForceErrors errors = errors_of(plummer(8192), direct_gravity(softening, kernel), comm);
      // FP64 sums of 8192 terms in another order: 1e-16 times the square root of their number, and cancellation near the centre.
      EXPECT_LE(errors.acceleration.p99, 1e-13);
      EXPECT_LE(errors.potential.max, 1e-13);
    }
}

}  // namespace
}  // namespace grove::tests
