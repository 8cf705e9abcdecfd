// A galaxy in physical units, without a G in the configuration: it is in equilibrium, and the same in other units.
#include <gtest/gtest.h>

#include "src/config/config.hpp"
#include "tests/support/physics_support.hpp"

namespace grove::tests {
namespace {

// 5e10 solar masses within a scale radius of 3 kpc.
constexpr double mass = 5, radius = 3;
constexpr std::uint64_t count = 2000;

// G in kpc, km/s, 1e10 solar masses, as in the documents of GADGET.
constexpr double textbook_G = 43007.1;

/// In kpc, km/s, 1e10 Msun.
ParticleSet galaxy() {
  ParticleSet all = plummer(count);
  const double speed = std::sqrt(textbook_G * mass / radius);
  for (double& x : all.position) x *= radius;
  for (double& v : all.velocity) v *= speed;
  for (double& m : all.mass) m *= mass;
  return all;
}

/// The same in pc, km/s, Msun.
ParticleSet in_parsecs(ParticleSet all) {
  for (double& x : all.position) x *= 1e3;
  for (double& m : all.mass) m *= 1e10;
  return all;
}

Config config_of(const std::string& units, const std::string& method) {
  return parse_config("[initial_conditions]\nfile = \"galaxy.tab\"\n[gravity]\nsoftening = \"100 pc\"\nmethod = \"" + method +
                          "\"\n[time]\nend = \"100 Myr\"\ndt = \"2 Myr\"\n[units]\nsystem = \"" + units + "\"\n",
                      "run.toml", {});
}

struct State {
  ParticleSet particles;
  double virial_ratio = 0;
};

State after_the_run(const ParticleSet& start, const Config& config, const Communicator& comm) {
  const auto sim = simulation(config.gravity, comm);
  sim->start(share_of(start, comm), config.time.begin);
  const auto steps = static_cast<int>(std::lround((config.time.end - config.time.begin) / config.time.dt));
  EXPECT_EQ(steps, 50);
  for (int i = 0; i < steps; ++i) sim->step(config.time.dt);
  const Diagnostics sums = sim->diagnostics();
  return {collected(*sim, comm), 2 * sums.kinetic / std::abs(sums.potential)};
}

/// The largest difference of two positions, in scale radii; those of `b` are in parsecs.
double largest_distance(const ParticleSet& a, const ParticleSet& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.position.size(); ++i) largest = std::max(largest, std::abs(a.position[i] - 1e-3 * b.position[i]));
  return largest / radius;
}

TEST(PhysicalUnits, AGalaxyWithoutGKeepsItsVirialRatio) {
  const Communicator comm(MPI_COMM_WORLD);
  const State end = after_the_run(galaxy(), config_of("kpc, km/s, 1e10 Msun", "fmm"), comm);
  EXPECT_NEAR(end.virial_ratio, 1, 0.08) << "of 2,000 particles";
}

TEST(PhysicalUnits, OtherUnitsGiveTheSameRunToRounding) {
  const Communicator comm(MPI_COMM_WORLD);
  const ParticleSet start = galaxy();
  for (const auto& [method, allowed] : {std::pair{"direct", 2e-5}, {"fmm", 2e-3}}) {
    const State kiloparsecs = after_the_run(start, config_of("kpc, km/s, 1e10 Msun", method), comm);
    const State parsecs = after_the_run(in_parsecs(start), config_of("pc, km/s, Msun", method), comm);
    EXPECT_LT(largest_distance(kiloparsecs.particles, parsecs.particles), allowed) << method;
    EXPECT_GT(largest_distance(kiloparsecs.particles, in_parsecs(start)), 0.5) << "they have moved";
    EXPECT_NEAR(kiloparsecs.virial_ratio, parsecs.virial_ratio, 1e-4) << method;
  }
}

}  // namespace
}  // namespace grove::tests
