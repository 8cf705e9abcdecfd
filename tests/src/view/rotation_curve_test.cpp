// The rotation curve of a sample is that of the whole snapshot.
#include "src/view/rotation_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "io/snapshots/particle_sample.hpp"
#include "io/snapshots/snapshot.hpp"
#include "src/view/sample_cache.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

/// Two components within which the mass grows with the radius, so that the curve is flat: sqrt(G M / R) with their masses and sizes.
struct Component {
  std::uint8_t type;
  std::uint64_t count;
  double mass, size;
};
constexpr Component halo{1, 150000, 6, 30}, disc{2, 50000, 1, 5};

ParticleSet two_components() {
  ParticleSet particles;
  particles.resize(halo.count + disc.count);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  std::size_t i = 0;
  for (const Component& component : {halo, disc})
    for (std::uint64_t k = 0; k < component.count; ++k, ++i) {
      const double x[] = {normal(random), normal(random), normal(random)}, r = component.size * uniform(random);
      const double factor = r / std::hypot(x[0], x[1], x[2]);
      // Far from the origin, which is the centre of no galaxy of a collision.
      for (std::size_t axis = 0; axis < 3; ++axis) particles.position[3 * i + axis] = 100 + factor * x[axis];
      particles.mass[i] = component.mass / static_cast<double>(component.count);
      particles.type[i] = component.type;
      particles.id[i] = i;
    }
  return particles;
}

class RotationCurve : public testing::Test {
 protected:
  nlohmann::ordered_json curve_of(const ParticleSet& particles, const std::string& configuration) const {
    write_snapshot(directory_.file(name), particles, SnapshotHeader(), Communicator(MPI_COMM_WORLD));
    const Config config =
        parse_config("[initial_conditions]\ngenerator = \"disc\"\nn = 10\n[gravity]\nsoftening = 0.1\n" + configuration, "test", {});
    return rotation_curve(make_sample(directory_.file(name), name), config, Communicator(MPI_COMM_WORLD));
  }
  static constexpr const char* name = "snapshot_0000.hdf5";
  TemporaryDirectory directory_;
};

/// The largest error relative to `expected` of a curve between two radii.
double largest_error(const nlohmann::ordered_json& json, std::size_t curve, double from, double to, double expected) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < json["radius"].size(); ++k) {
    const double r = json["radius"][k], v = json["curves"][curve]["speed"][k];
    if (r >= from && r <= to) largest = std::fmax(largest, std::abs(v / expected - 1));
  }
  return largest;
}

TEST_F(RotationCurve, OfASampleIsThatOfAllParticles) {
  const auto json = curve_of(two_components(), "");
  EXPECT_EQ(json["snapshot"], name);
  EXPECT_EQ(json["particles"], 200000);
  EXPECT_NEAR(json["shown"].get<double>(), 50000, 1500);
  ASSERT_EQ(json["curves"].size(), 3U);
  EXPECT_EQ(json["curves"][0]["name"], "all");
  EXPECT_EQ(json["curves"][1]["name"], "halo");
  EXPECT_EQ(json["curves"][2]["type"], 2);
  // A few thousand particles are inside.
  EXPECT_LT(largest_error(json, 1, 3, 30, std::sqrt(halo.mass / halo.size)), 0.03);
  EXPECT_LT(largest_error(json, 2, 1, 5, std::sqrt(disc.mass / disc.size)), 0.03);
  EXPECT_LT(largest_error(json, 0, 1, 5, std::sqrt(halo.mass / halo.size + disc.mass / disc.size)), 0.03);
  EXPECT_EQ(json["length_unit"], "N-body units");
  EXPECT_TRUE(json["missing"].empty());
}

TEST_F(RotationCurve, IsInKpcAndKmPerSecond) {
  const auto json = curve_of(two_components(), "[units]\nsystem = \"pc, km/s, Msun\"");
  EXPECT_EQ(json["length_unit"], "pc");
  EXPECT_EQ(json["speed_unit"], "km/s");
  // G in pc (km/s)^2 / Msun.
  EXPECT_LT(largest_error(json, 2, 1, 5, std::sqrt(4.30091e-3 * disc.mass / disc.size)), 0.03);
  const auto large = curve_of(two_components(), "[units]\nsystem = \"kpc, km/s, 1e10 Msun\"");
  EXPECT_EQ(large["length_unit"], "kpc");
  EXPECT_LT(largest_error(large, 2, 1, 5, std::sqrt(4.30091e4 * disc.mass / disc.size)), 0.03);
}

TEST_F(RotationCurve, CountsExternalPotentialsForAll) {
  const auto json = curve_of(two_components(), "[external]\npotential = \"logarithmic\"\nvelocity = 10\nx = 100\ny = 100\nz = 100");
  EXPECT_TRUE(json["external"]);
  EXPECT_GT(json["curves"][0]["speed"].back(), 5);
  EXPECT_LT(largest_error(json, 1, 3, 30, std::sqrt(halo.mass / halo.size)), 0.03);
}

TEST_F(RotationCurve, SaysWhichComponentsHaveNoParticleInIt) {
  ParticleSet particles = two_components();
  // One that is not in the sample.
  std::size_t i = 0;
  while (is_in_sample(i, particles.size(), 50000)) ++i;
  particles.type[i] = 5;
  const auto json = curve_of(particles, "");
  EXPECT_EQ(json["missing"], nlohmann::ordered_json::array({"black holes"}));
  EXPECT_EQ(json["curves"].size(), 3U);
}

}  // namespace
}  // namespace grove
