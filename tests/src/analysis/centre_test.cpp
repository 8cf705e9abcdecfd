// Where the middle of particles is found.
#include "src/analysis/centre.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/dealt_particles.hpp"
#include "tests/support/generator_sample.hpp"
#include "tests/support/on_all_ranks.hpp"

namespace grove::tests {
namespace {

class CentreTest : public testing::Test {
 protected:
  Centre centre_of(const ParticleSet& all, const CentreChoice& choice = {}) const {
    const ParticleSet own = dealt(all, comm_);
    return find_centre(own, groups_of(own, usual_component_names(), comm_).front(), choice, comm_);
  }
  double error_of(const ParticleSet& all, const Double3& expected) const {
    const Double3 d = centre_of(all).position - expected;
    return std::sqrt(dot(d, d));
  }
  Communicator comm_{MPI_COMM_WORLD};
};

ParticleSet sphere(const std::string& model, std::uint64_t n, double scale_radius, double mass = 1) {
  return generate_all(conditions_of(model, n, {{"scale_radius", scale_radius}, {"mass", mass}}));
}

void expect_same(const Double3& a, const Double3& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}

// The centre of mass of the last sphere, a quarter of an eighth of the particles or so, scatters by about its radius over the root of five
// times its particles.
TEST_F(CentreTest, OfASphereIsItsCentre) {
  EXPECT_LT(error_of(sphere("plummer", 20000, 2), {}), 0.1);
  EXPECT_LT(error_of(sphere("plummer", 1000, 1), {}), 0.25);
  EXPECT_LT(error_of(sphere("hernquist", 20000, 1), {}), 0.05);
}

TEST_F(CentreTest, OfTwoGalaxiesIsTheDenserNucleusEvenOfTheLighterOne) {
  ParticleSet all = sphere("plummer", 18000, 1);
  append(all, sphere("plummer", 2000, 0.1, 1.0 / 9), {5, -3, 2});
  EXPECT_LT(error_of(all, {5, -3, 2}), 0.02);
  // Also where it is inside of the larger one.
  ParticleSet inside = sphere("plummer", 18000, 1);
  append(inside, sphere("plummer", 2000, 0.02, 1.0 / 9), {1, 0, 0});
  EXPECT_LT(error_of(inside, {1, 0, 0}), 0.005);
}

TEST_F(CentreTest, OfThreePercentOfTheParticlesInACompactNucleusIsThatNucleus) {
  for (const double x : {0.7, 1.5, 4.0}) {
    ParticleSet all = sphere("plummer", 18000, 1);
    append(all, sphere("plummer", 600, 0.1, 1.0 / 30), {x, 0, 0});
    EXPECT_LT(error_of(all, {x, 0, 0}), 0.05) << x;
  }
}

TEST_F(CentreTest, AGalaxyAroundANucleusDoesNotPullTheSphereAway) {
  ParticleSet all = sphere("plummer", 18000, 1);
  InitialConditions nucleus = conditions_of("plummer", 500, {{"scale_radius", 0.1}, {"mass", 1.0 / 36}});
  nucleus.seed = 5;
  append(all, generate_all(nucleus), {0.9, 0, 0});
  EXPECT_LT(error_of(all, {0.9, 0, 0}), 0.02);
}

TEST_F(CentreTest, OneParticleFarAwayChangesNothing) {
  ParticleSet all = sphere("plummer", 5000, 1);
  const double before = error_of(all, {});
  append(all, particles_at({{1e11, 0, 0, 1.0 / 5000, 1}}));
  EXPECT_LT(error_of(all, {}), before + 0.1);
  append(all, particles_at({{-1e30, 1e30, 3e29, 1.0 / 5000, 1}}));
  EXPECT_LT(error_of(all, {}), before + 0.1);
}

TEST_F(CentreTest, MovesAsItsParticlesDo) {
  ParticleSet all = sphere("plummer", 20000, 1);
  for (std::size_t i = 0; i < all.size(); ++i) all.velocity[3 * i + 1] += 100;
  const Centre centre = centre_of(all);
  EXPECT_GT(centre.particles, 1000u);
  // A dispersion of 0.41 in the middle: five times the scatter.
  const double noise = 5 * 0.41 / std::sqrt(static_cast<double>(centre.particles));
  EXPECT_NEAR(centre.velocity.y, 100, noise);
  EXPECT_NEAR(centre.velocity.x, 0, noise);
  // A given centre moves as a tenth of the particles does, the nearest, or as those within a radius do.
  const Centre given = centre_of(all, {CentreKind::given, {0, 0, 0}, {}});
  EXPECT_EQ(given.particles, 2000u);
  EXPECT_NEAR(given.velocity.y, 100, 5 * 0.41 / std::sqrt(2000.0));
  const Centre within = centre_of(all, {CentreKind::given, {0, 0, 0}, 1.0});
  EXPECT_EQ(within.radius, 1);
  EXPECT_NEAR(static_cast<double>(within.particles), 20000 * std::pow(2, -1.5) * std::pow(1.01, 1.5), 4.5 * std::sqrt(7000.0));
}

TEST_F(CentreTest, OfASmallNucleusMovesAsThatDoes) {
  ParticleSet all = sphere("plummer", 18000, 1), small = sphere("plummer", 500, 0.02, 1.0 / 36);
  for (std::size_t i = 0; i < small.size(); ++i) small.velocity[3 * i] += 50;
  append(all, small, {1.5, 0, 0});
  EXPECT_NEAR(centre_of(all).velocity.x, 50, 1);
}

TEST_F(CentreTest, WithoutParticlesInTheRadiusOfTheVelocityIsAnError) {
  const std::string message = agreed_error_of(
      [&] {
        centre_of(particles_at({{1, 0, 0}, {2, 0, 0}}), {CentreKind::given, {}, 0.5});
      },
      2, comm_);
  EXPECT_NE(message.find("no particle within 0.5"), std::string::npos) << message;
}

// A clump on its orbit in a disc is denser than the centre.
TEST_F(CentreTest, OfTheInnerHalfIsNotThatOfAClump) {
  ParticleSet all = sphere("plummer", 4000, 1);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t d = 0; d < 3; ++d) all.position[3 * i + d] = (d == 0 ? 1.5 : 0) + 0.01 * all.position[3 * i + d];
    all.velocity[3 * i + 1] += 1;
  }
  const Centre clump = centre_of(all), inner = centre_of(all, {CentreKind::inner, {}, {}});
  EXPECT_GT(clump.position.x, 1.4);
  EXPECT_NEAR(inner.position.x, 0, 0.3);
  EXPECT_NEAR(inner.velocity.y, 0, 0.15);
  EXPECT_NEAR(static_cast<double>(inner.particles), 2000, 1);
  const auto note = [&](const Centre& centre) {
    const ParticleSet own = dealt(all, comm_);
    return note_on_centre(own, groups_of(own, usual_component_names(), comm_).front(), centre, comm_);
  };
  EXPECT_NE(note(clump).find("it can be a clump"), std::string::npos);
  EXPECT_EQ(note(inner), "");
}

TEST_F(CentreTest, OfMassIsThatOfAllAndOfAPointThatPoint) {
  const ParticleSet all = particles_at({{0, 0, 0, 3}, {4, 8, 0, 1}});
  expect_same(centre_of(all, {CentreKind::mass, {}, {}}).position, {1, 2, 0});
  const Centre given = centre_of(all, {CentreKind::given, {4, 8, 1}, {}});
  expect_same(given.position, {4, 8, 1});
  EXPECT_EQ(given.particles, 2u);
}

TEST_F(CentreTest, OfFewParticlesIsTheirCentreOfMass) {
  expect_same(centre_of(particles_at({{5, -6, 7}})).position, {5, -6, 7});
  expect_same(centre_of(particles_at({{1, 0, 0, 1}, {5, 0, 0, 3}})).position, {4, 0, 0});
  expect_same(centre_of(particles_at({{1, 0, 0}, {-1, 0, 0}, {0, 2, 0}, {0, -2, 0}, {0, 0, 0}})).position, {});
}

TEST_F(CentreTest, OfParticlesAtOnePlaceIsThatPlace) {
  expect_same(centre_of(particles_at(std::vector<Point>(100, {1e-3, 7, -1e5}))).position, {1e-3, 7, -1e5});
  // Fifty at one place are denser than whatever is around them.
  ParticleSet all = sphere("plummer", 2000, 1);
  append(all, particles_at(std::vector<Point>(50, {3, 0, 0, 1.0 / 2000})));
  expect_same(centre_of(all).position, {3, 0, 0});
}

TEST_F(CentreTest, ParticlesOnALineOrWithoutMassHaveOne) {
  std::vector<Point> line;
  for (int i = -500; i <= 500; ++i) line.push_back({i * std::abs(i) / 1000.0, 0, 0});
  EXPECT_LT(error_of(particles_at(line), {}), 2);
  ParticleSet massless = sphere("plummer", 5000, 1);
  for (double& m : massless.mass) m = 0;
  EXPECT_LT(error_of(massless, {}), 0.2);
  // Tracers far away weigh nothing.
  append(massless, particles_at({{0, 0, 0, 1}}), {50, 0, 0});
  EXPECT_LT(error_of(massless, {50, 0, 0}), 1e-12);
}

TEST_F(CentreTest, IsTheSameBitsOnAnyNumberOfRanksAndInAnyOrder) {
  ParticleSet all = sphere("hernquist", 3000, 1);
  append(all, sphere("plummer", 700, 0.3, 0.2), {2, 1, 0});
  const Communicator alone(MPI_COMM_SELF);
  const Centre expected = find_centre(all, groups_of(all, usual_component_names(), alone).front(), {}, alone), found = centre_of(all);
  expect_same(found.position, expected.position);
  expect_same(found.velocity, expected.velocity);
  EXPECT_EQ(found.radius, expected.radius);
}

TEST_F(CentreTest, NumbersThatAreTooLargeAreAnError) {
  const std::string message = agreed_error_of(
      [&] {
        centre_of(particles_at({{1e308, 0, 0, 1e5}, {1e308, 0, 0, 1e5}}), {CentreKind::mass, {}, {}});
      },
      3, comm_);
  EXPECT_NE(message.find("no finite number"), std::string::npos) << message;
}

}  // namespace
}  // namespace grove::tests
