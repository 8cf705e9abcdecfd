// Energy errors of block steps against the number of forces: a cusp, and a sphere around a hole, each of 2,048 particles and eight seeds,
// by direct summation.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

std::unique_ptr<Simulation> started(const GravityParameters& gravity, double accuracy, const ParticleSet& all, const Communicator& comm,
                                    std::optional<int> core_beyond = {}, bool pins_heavy = true) {
  const StepParameters steps{
      .steps = steps::block, .accuracy = accuracy, .core_up_to = 0, .core_beyond = core_beyond, .pins_heavy = pins_heavy};
  return tests::started(make_simulation(test_device(), gravity, comm, {.steps = steps}), all, comm);
}

struct RunResult {
  double largest_error = 0;  ///< of the energy, relative
  double updates = 0;        ///< for each particle and unit of time
  double momentum = 0;       ///< largest change, over the mass and the velocity dispersion
};

RunResult run(Simulation& sim, double end, double dt, const Communicator& comm) {
  const Diagnostics first = sim.diagnostics();
  const double scale = std::sqrt(2 * first.kinetic * first.mass);
  RunResult result;
  const int steps = static_cast<int>(std::lround(end / dt));
  std::uint64_t count = 0;
  for (int i = 1; i <= steps; ++i) {
    sim.step_to(dt * i, dt);
    for (const RungWork& rung : sim.rung_work()) count += rung.updates;
    const Diagnostics now = sim.diagnostics();
    result.largest_error = std::max(result.largest_error, std::abs(now.total_energy() / first.total_energy() - 1));
    double change = 0;
    for (std::size_t k = 0; k < 3; ++k) change += std::pow(now.momentum[k] - first.momentum[k], 2);
    result.momentum = std::max(result.momentum, std::sqrt(change) / scale);
  }
  result.updates = static_cast<double>(comm.sum(count)) / end / static_cast<double>(comm.sum(std::uint64_t{sim.particles().size()}));
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

/// Energies against the number of forces, for systems of 2,048 particles and eight seeds, direct summation.
class BlockSteps : public testing::Test {
 protected:
  static constexpr std::uint64_t particles = 2048;
  static constexpr double base = 1.0 / 16;

  /// A Hernquist sphere, G = M = a = 1, within 50 scale radii: radii from the mass inside, speeds by rejection from the distribution
  /// function (Hernquist 1990, eq. 17).
  static ParticleSet cusp(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto density = [](double energy) {
      const double q = std::sqrt(energy), p = 1 - q * q;
      return (3 * std::asin(q) + q * std::sqrt(p) * (1 - 2 * q * q) * (8 * q * q * q * q - 8 * q * q - 3)) / std::pow(p, 2.5);
    };
    const auto isotropic = [&](double* at, double length) {
      const double z = 2 * uniform(random) - 1, phi = 2 * std::numbers::pi * uniform(random), s = std::sqrt(1 - z * z);
      at[0] = length * s * std::cos(phi), at[1] = length * s * std::sin(phi), at[2] = length * z;
    };
    ParticleSet all;
    all.resize(particles);
    for (std::size_t i = 0; i < particles; ++i) {
      double r = 100;
      while (r > 50) {
        const double q = std::sqrt(uniform(random));
        r = q / (1 - q);
      }
      isotropic(all.position.data() + 3 * i, r);
      const double depth = 1 / (1 + r), fastest = std::sqrt(2 * depth);
      double most = 0, speed = 0;
      const auto of_speed = [&](double v) { return v * v * density(depth - 0.5 * v * v); };
      for (int k = 0; k < 200; ++k) most = std::max(most, of_speed(fastest * (k + 0.5) / 200));
      do speed = fastest * uniform(random);
      while (1.05 * most * uniform(random) > of_speed(speed));
      all.id[i] = i;
      all.mass[i] = 1.0 / particles;
      isotropic(all.velocity.data() + 3 * i, speed);
    }
    for (std::vector<double>* row : {&all.position, &all.velocity})
      for (std::size_t k = 0; k < 3; ++k) {
        double mean = 0;
        for (std::size_t i = 0; i < particles; ++i) mean += (*row)[3 * i + k] / particles;
        for (std::size_t i = 0; i < particles; ++i) (*row)[3 * i + k] -= mean;
      }
    return all;
  }
  /// A Plummer sphere around a hole of a fiftieth of its mass, whose pull the stars' speeds follow.
  static ParticleSet around_a_hole(std::uint64_t seed) {
    ParticleSet all = plummer(particles, seed);
    all.mass[0] = hole;
    all.type[0] = 5;
    for (std::size_t k = 0; k < 3; ++k) all.position[k] = all.velocity[k] = 0;
    for (std::size_t i = 1; i < all.size(); ++i) {
      all.type[i] = 4;
      double r2 = 0, v2 = 0;
      for (std::size_t k = 0; k < 3; ++k) r2 += std::pow(all.position[3 * i + k], 2), v2 += std::pow(all.velocity[3 * i + k], 2);
      const double faster = std::sqrt((v2 + hole * r2 / std::pow(r2 + near_hole * near_hole, 1.5)) / v2);
      for (std::size_t k = 0; k < 3; ++k) all.velocity[3 * i + k] *= faster;
    }
    return all;
  }
  static GravityParameters gravity_around_a_hole() {
    GravityParameters gravity = direct_gravity(0.02);
    gravity.softening_of_type = {0.02, 0.02, 0.02, 0.02, 0.02, near_hole};
    gravity.softening_between_types = {{4, 5, near_hole}};
    return gravity;
  }

  static constexpr double hole = 0.02, near_hole = 0.004;
  const Communicator comm_{MPI_COMM_WORLD};
};

TEST_F(BlockSteps, ACusp) {
  std::vector<double> errors, updates;
  // In FP32, which is faster: its errors are far below those of the steps.
  const GravityParameters gravity{.softening = 0.02, .all_pairs_up_to = 8 * particles};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto sim = started(gravity, 0.01, cusp(seed), comm_);
    const RunResult result = run(*sim, 10, base, comm_);
    EXPECT_LE(result.largest_error, 8e-4) << "seed " << seed;
    EXPECT_LE(result.updates, 31) << "seed " << seed;
    updates.push_back(result.updates);
    errors.push_back(result.largest_error);
  }
  EXPECT_LE(median(errors), 4e-4);
  EXPECT_LE(median(updates), 30);
}

TEST_F(BlockSteps, AHole) {
  std::vector<double> pinned, free;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto sim = started(gravity_around_a_hole(), 0.01, around_a_hole(seed), comm_);
    const RunResult result = run(*sim, 4, base, comm_);
    EXPECT_LE(result.largest_error, 1e-3) << "seed " << seed;
    EXPECT_LE(result.updates, 40) << "seed " << seed;
    EXPECT_LE(result.momentum, 2e-4) << "seed " << seed;
    pinned.push_back(result.momentum);
    // On a rung of its own, the hole is not where the others feel it.
    if (seed <= 3)
      free.push_back(run(*started(gravity_around_a_hole(), 0.01, around_a_hole(seed), comm_, {}, false), 4, base, comm_).momentum);
  }
  EXPECT_GE(median(free), 3 * median(pinned)) << median(free) << " and " << median(pinned);
}

TEST_F(BlockSteps, AHoleAndACoreAroundIt) {
  std::vector<double> whole, split;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    whole.push_back(run(*started(gravity_around_a_hole(), 0.01, around_a_hole(seed), comm_), 1, base, comm_).largest_error);
    const RunResult result = run(*started(gravity_around_a_hole(), 0.01, around_a_hole(seed), comm_, 3), 1, base, comm_);
    EXPECT_LE(result.momentum, 2e-4) << "seed " << seed;
    split.push_back(result.largest_error);
  }
  EXPECT_LE(median(split), 1.5 * median(whole)) << median(split) << " and " << median(whole);
}

TEST_F(BlockSteps, ASmallerAccuracyLowersTheError) {
  std::vector<double> coarse, fine;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    coarse.push_back(run(*started(gravity_around_a_hole(), 0.01, around_a_hole(seed), comm_), 1, base, comm_).largest_error);
    fine.push_back(run(*started(gravity_around_a_hole(), 0.0025, around_a_hole(seed), comm_), 1, base, comm_).largest_error);
  }
  EXPECT_GE(median(coarse), 4 * median(fine)) << median(coarse) << " and " << median(fine);
}

}  // namespace
}  // namespace grove::tests
