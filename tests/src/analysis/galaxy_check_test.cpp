// The check of drawn galaxies: what is in equilibrium passes, and what is not is named.
#include "src/analysis/galaxy_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/analysis/galaxy_report.hpp"
#include "src/generators/galaxy.hpp"
#include "src/simulation/devices.hpp"
#include "tests/support/dealt_particles.hpp"

namespace grove::tests {
namespace {

using Change = std::function<void(double* x, double* v)>;

constexpr double softening = 0.02;

GalaxyParameters plummer_sphere() {
  return {"globular", {{"stars", "plummer", {{"mass", 1.0}, {"scale_radius", 1.0}, {"softening", softening}}}}, {}};
}

GalaxyParameters turned_disc() {
  return {"mine",
          {{"halo", "hernquist", {{"mass", 20.0}, {"scale_radius", 4.0}, {"softening", softening}, {"particles", 0.5}}},
           {"disc", "exponential", {{"mass", 1.0}, {"scale_length", 1.0}, {"softening", softening}}},
           {"black hole", "point", {{"mass", 0.01}, {"softening", softening}}}},
          {{"x", 50.0}, {"vy", 3.0}, {"inclination", 60.0}, {"node", 30.0}}};
}

class GalaxyCheckTest : public testing::Test {
 protected:
  /// Draws `galaxy`, changes each particle, and checks it.
  CheckedGalaxy check(const GalaxyParameters& galaxy, const Change& change = nullptr) const {
    InitialConditions conditions;
    conditions.generator = "galaxy";
    conditions.n = 8000;
    conditions.galaxies = {galaxy};
    ParticleSet particles = generate(conditions, 1.0, 0, conditions.n);
    for (std::size_t i = 0; change && i < particles.size(); ++i) change(&particles.position[3 * i], &particles.velocity[3 * i]);
    GravityParameters gravity;
    gravity.softening = softening;
    const auto simulation = make_simulation("cpu", gravity, comm_);
    particles = dealt(particles, comm_);
    particles.fields = simulation->fields();
    simulation->start(std::move(particles), 0);
    return check_galaxies({galaxy}, conditions.n, 1, simulation->particles(), comm_).at(0);
  }

  /// What is said against its equilibrium.
  std::string against(const GalaxyParameters& galaxy, const Change& change = nullptr) const {
    std::string all;
    for (const std::string& one : findings_of(check(galaxy, change)).against_equilibrium) all += one + "\n";
    return all;
  }

  Communicator comm_{MPI_COMM_WORLD};
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(GalaxyCheckTest, APlummerSphereIsInEquilibriumAndHasThePlummerProfile) {
  const CheckedGalaxy galaxy = check(plummer_sphere());
  EXPECT_TRUE(findings_of(galaxy).against_equilibrium.empty()) << check_text(galaxy);
  EXPECT_TRUE(has(check_text(galaxy), "\nglobular is in equilibrium\n")) << check_text(galaxy);
  ASSERT_EQ(galaxy.components.at(0).shells.size(), 8u);
  const CheckedShell& shell = galaxy.components[0].shells[4];  // from 30 to 50 % of the mass
  EXPECT_NEAR(shell.radius, 1 / std::sqrt(std::pow(0.4, -2.0 / 3) - 1), 0.01);
  EXPECT_NEAR(shell.radial.wanted, std::sqrt(1 / (6 * std::hypot(1, shell.radius))), 0.005);
  EXPECT_NEAR(shell.circular_velocity, shell.radius * std::pow(1 + shell.radius * shell.radius, -0.75), 0.005);
  EXPECT_NEAR(shell.density.noise / shell.density.wanted, std::sqrt(0.8 / (0.2 * 8000)), 1e-6) << "of a binomial distribution";
}

TEST_F(GalaxyCheckTest, ADiscIsMeasuredInItsOwnPlaneAboutItsOwnCentre) {
  const CheckedGalaxy galaxy = check(turned_disc());
  EXPECT_TRUE(findings_of(galaxy).against_equilibrium.empty()) << check_text(galaxy);
  const CheckedComponent& disc = galaxy.components.at(1);
  EXPECT_NEAR(disc.virial.drawn, 1, 0.05);
  EXPECT_NEAR(disc.shells.at(4).across.wanted, 0.1 * std::log(2), 1e-12);
  EXPECT_NEAR(disc.shells[4].drawn_q, disc.shells[4].wanted_q, 0.15 * disc.shells[4].wanted_q);
  EXPECT_TRUE(galaxy.components.at(2).shells.empty()) << "a point has no profile";
  // A hotter disc is not what is wanted, but a thicker one falls together.
  CheckedGalaxy changed = galaxy;
  changed.components[1].shells[3].radial.drawn *= 1.5;
  changed.components[1].shells[4].across.drawn *= 1.5;
  const Findings found = findings_of(changed);
  ASSERT_EQ(found.against_wishes.size(), 1u);
  ASSERT_EQ(found.against_equilibrium.size(), 1u);
  EXPECT_TRUE(has(found.against_wishes[0], "disc: radial dispersion at"));
  EXPECT_TRUE(has(found.against_equilibrium[0], "disc: mean |z| at"));
}

TEST_F(GalaxyCheckTest, ParticlesThatDoNotFitTheirModelAreFound) {
  const auto faster = [](double*, double* v) { std::transform(v, v + 3, v, [](double x) { return 1.2 * x; }); };
  const auto wider_and_falling = [](double* x, double* v) {
    const double r = std::hypot(x[0], x[1], x[2]);
    for (int d = 0; d < 3; ++d) {
      v[d] -= 0.1 * x[d] / r;
      x[d] *= 1.15;
    }
  };
  const auto radial = [](double* x, double* v) {
    const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], along = (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) / r2;
    for (int d = 0; d < 3; ++d) v[d] += 0.3 * along * x[d];
  };
  const std::string of_faster = against(plummer_sphere(), faster);
  EXPECT_TRUE(has(of_faster, "stars: virial ratio 1.4") && has(of_faster, "stars: radial dispersion at")) << of_faster;
  const std::string of_falling = against(plummer_sphere(), wider_and_falling);
  EXPECT_TRUE(has(of_falling, "mean v_r / v_c") && has(of_falling, "stars: density at")) << of_falling;
  const std::string of_radial = against(plummer_sphere(), radial);
  EXPECT_TRUE(has(of_radial, "radial dispersion") && !has(of_radial, "tangential")) << of_radial;
}

}  // namespace
}  // namespace grove::tests
