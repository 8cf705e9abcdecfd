// Samples against the models they are drawn from. Seeds are fixed; the bounds are passed by all but one sample in a thousand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/named_rows.hpp"
#include "src/galaxies/galaxy_model.hpp"
#include "src/generators/generator.hpp"
#include "src/generators/merger.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

std::vector<double> radii(const ParticleSet& particles) {
  std::vector<double> r(particles.size());
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = length(particles.position, i);
  return r;
}

// Mean squared radial over half the mean squared tangential velocity, and its expected scatter for n particles is below 3 / sqrt(n).
double anisotropy(const ParticleSet& p) {
  double radial = 0, tangential = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    double along = 0;
    for (std::size_t d = 0; d < 3; ++d) along += p.position[3 * i + d] * p.velocity[3 * i + d];
    const double radial2 = std::pow(along / length(p.position, i), 2);
    radial += radial2;
    tangential += std::pow(length(p.velocity, i), 2) - radial2;
  }
  return 2 * radial / tangential;
}

TEST(Plummer, MassProfileIsTheModels) {
  const double a = 2.0;
  const ParticleSet particles = generate_all(conditions_of("plummer", 50000, {{"scale_radius", a}}));
  const auto mass = [](double s) { return s * s * s / std::pow(1 + s * s, 1.5); };
  EXPECT_LT(kolmogorov(radii(particles), [&](double r) { return mass(r / a); }), 1.95);
}

TEST(Plummer, SpeedsFollowTheDistributionFunction) {
  const ParticleSet particles = generate_all(conditions_of("plummer", 50000, {{"taper", 1e4}}), 3.0);
  std::vector<double> q(particles.size());
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = length(particles.velocity, i) / std::sqrt(2 * 3.0 / std::sqrt(1 + std::pow(length(particles.position, i), 2)));
  // Integral of x^2 (1 - x^2)^(7/2) by the midpoint rule; the whole is 7 pi / 512.
  std::vector<double> table(4001, 0.0);
  for (std::size_t k = 1; k < table.size(); ++k) {
    const double x = (static_cast<double>(k) - 0.5) / 4000;
    table[k] = table[k - 1] + x * x * std::pow(1 - x * x, 3.5) / 4000 * 512 / (7 * pi);
  }
  const auto distribution = [&](double x) {
    const auto k = std::min<std::size_t>(static_cast<std::size_t>(4000 * x), 3999);
    return table[k] + (4000 * x - static_cast<double>(k)) * (table[k + 1] - table[k]);
  };
  EXPECT_LT(kolmogorov(q, distribution), 1.95);
}

TEST(Plummer, IsInVirialEquilibriumAndIsotropic) {
  const ParticleSet particles = generate_all(conditions_of("plummer", 100000, {{"taper", 1e4}}));
  EXPECT_NEAR(twice_kinetic(particles) / (3 * pi / 32), 1.0, 0.01);
  EXPECT_NEAR(anisotropy(particles), 1.0, 0.01);
}

TEST(Plummer, SampledPotentialIsTheModels) {
  const ParticleSet particles = generate_all(conditions_of("plummer", 2000));
  EXPECT_NEAR(pair_potential(particles) / (3 * pi / 32), 1.0, 0.03);
  EXPECT_NEAR(twice_kinetic(particles) / pair_potential(particles), 1.0, 0.05);
}

TEST(Plummer, CentralDispersionIsTheModels) {
  const ParticleSet particles = generate_all(conditions_of("plummer", 200000, {{"mass", 2.0}, {"scale_radius", 0.5}}));
  // sigma_1d^2 = G M / (6 sqrt(r^2 + a^2)), M that of the untruncated sphere, 0.1 % above that of the particles.
  double ratio = 0, count = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double r = length(particles.position, i);
    if (r > 0.25) continue;
    ratio += std::pow(length(particles.velocity, i), 2) / 3 * 6 * std::hypot(r, 0.5) / 2.0;
    ++count;
  }
  EXPECT_GT(count, 15000);
  EXPECT_NEAR(ratio / count, 1.001, 0.02);
}

/// Profiles are those about the origin, where the sample has its cusp.
InitialConditions as_drawn(InitialConditions conditions) {
  conditions.recentre = false;
  return conditions;
}

TEST(Hernquist, MassProfileIsTheModels) {
  const double a = 0.5;
  const ParticleSet particles = generate_all(conditions_of("hernquist", 50000, {{"scale_radius", a}}));
  const auto mass = [](double s) { return std::pow(s / (1 + s), 2); };
  EXPECT_LT(kolmogorov(radii(particles), [&](double r) { return mass(r / a); }), 1.95);
}

TEST(Hernquist, IsInVirialEquilibriumAndIsotropic) {
  const ParticleSet particles = generate_all(conditions_of("hernquist", 100000, {{"taper", 1e4}}));
  EXPECT_NEAR(twice_kinetic(particles) * 6, 1.0, 0.01);
  EXPECT_NEAR(anisotropy(particles), 1.0, 0.01);
}

// Radial dispersion squared, G = M = a = 1 (Hernquist 1990, eq. 10): the Jeans equation, independent of the distribution function.
double hernquist_dispersion2(double r) {
  return (12 * r * std::pow(1 + r, 3) * std::log((1 + r) / r) - r / (1 + r) * (25 + r * (52 + r * (42 + r * 12)))) / 12;
}

TEST(Hernquist, DispersionFollowsTheJeansEquationAtAllRadii) {
  const ParticleSet particles = generate_all(as_drawn(conditions_of("hernquist", 400000, {{"taper", 1e4}})));
  const std::vector<double> edges = {0.003, 0.03, 0.1, 0.3, 1, 3, 10, 30};
  std::vector<double> ratio(edges.size(), 0.0), count(edges.size(), 0.0);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double r = length(particles.position, i);
    const auto bin = static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), r) - edges.begin());
    if (bin == 0 || bin == edges.size()) continue;
    ratio[bin] += std::pow(length(particles.velocity, i), 2) / (3 * hernquist_dispersion2(r));
    ++count[bin];
  }
  // The relative scatter of v^2 is near 0.9 for one particle; 3.5 standard deviations.
  for (std::size_t bin = 1; bin < edges.size(); ++bin)
    EXPECT_NEAR(ratio[bin] / count[bin], 1.0, 3.2 / std::sqrt(count[bin])) << "within r = " << edges[bin];
}

/// 2 K / |W| with the potential energy of the shells that the particles are.
double virial_ratio(const ParticleSet& particles) {
  std::vector<double> r = radii(particles);
  std::sort(r.begin(), r.end());
  double potential = 0;
  const double m = particles.mass[0];
  for (std::size_t i = 0; i < r.size(); ++i) potential += m * m * static_cast<double>(i) / r[i];
  return twice_kinetic(particles) / potential;
}

TEST(Spheres, AreInVirialEquilibriumWithAnyTaper) {
  for (const char* model : {"plummer", "hernquist"})
    for (const double taper : {1.0, 10.0, 100.0})
      EXPECT_NEAR(virial_ratio(generate_all(as_drawn(conditions_of(model, 100000, {{"taper", taper}})))), 1, 0.005)
          << model << ' ' << taper;
}

TEST(Spheres, AreTheWholeModelsByDefault) {
  for (const char* model : {"plummer", "hernquist"}) {
    const auto components = [&](double taper) {
      const GalaxyParameters galaxy{"one", {{"stars", model, {{"mass", 1.0}, {"taper", taper}, {"softening", 1e-6}}}}, {}};
      return galaxy_components(galaxy, 1000, 1);
    };
    const Setting& taper = *find_named(find_named(generators(), model)->settings, "taper");
    const auto drawn = components(std::get<double>(taper.default_value)), whole = components(1e4);
    for (const double r : {0.1, 1.0, 10.0}) {
      const double density = drawn[0].sphere->density(r) / whole[0].sphere->density(r);
      EXPECT_NEAR(density, 1, r < 10 ? 2e-3 : 6e-3) << model << ' ' << r;
      EXPECT_NEAR(drawn[0].sphere->radial_dispersion(std::log(r)) / whole[0].sphere->radial_dispersion(std::log(r)), 1,
                  r < 10 ? 1e-3 : 5e-3)
          << model << ' ' << r;
    }
  }
}

TEST(Spheres, AreInEquilibriumWithTheSofteningOfTheRun) {
  auto conditions = conditions_of("plummer", 20000);
  const double before = twice_kinetic(generate_all(conditions));
  conditions.softening = {{"", 0.5}};
  const ParticleSet particles = generate_all(conditions);
  // With r / (r^2 + softening^2)^(3/2) for each pair.
  double virial = 0;
  for (std::size_t i = 0; i < 3000; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double *x = &particles.position[3 * i], *y = &particles.position[3 * j];
      const double r2 = std::pow(x[0] - y[0], 2) + std::pow(x[1] - y[1], 2) + std::pow(x[2] - y[2], 2);
      virial += r2 / std::pow(r2 + 0.25, 1.5) / (3000 * 2999);
    }
  EXPECT_NEAR(twice_kinetic(particles) / virial, 1, 0.03);
  EXPECT_LT(twice_kinetic(particles), 0.8 * before);
}

TEST(UniformSphere, IsHomogeneousAndAtRest) {
  const ParticleSet particles = generate_all(as_drawn(conditions_of("uniform_sphere", 50000, {{"radius", 4.0}})));
  EXPECT_LT(kolmogorov(radii(particles), [](double r) { return std::pow(r / 4, 3); }), 1.95);
  EXPECT_EQ(twice_kinetic(particles), 0.0);
}

TEST(UniformSphere, HasTheVirialRatioAskedFor) {
  const auto conditions = conditions_of("uniform_sphere", 100000, {{"radius", 2.0}, {"mass", 3.0}, {"virial_ratio", 0.5}});
  EXPECT_NEAR(twice_kinetic(generate_all(conditions, 7.0)) / (0.6 * 7 * 9 / 2), 0.5, 0.01);
}

TEST(UniformCube, FillsTheCubeEvenlyAndRests) {
  const ParticleSet particles = generate_all(conditions_of("uniform_cube", 30000, {{"side", 6.0}}));
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> coordinate(particles.size());
    for (std::size_t i = 0; i < coordinate.size(); ++i) coordinate[i] = particles.position[3 * i + d];
    EXPECT_LT(kolmogorov(coordinate, [](double x) { return std::clamp(x / 6 + 0.5, 0.0, 1.0); }), 1.95);
  }
  EXPECT_EQ(twice_kinetic(particles), 0.0);
}

struct Orbit {
  double pericentre, eccentricity, separation, mass_ratio;
};

class MergerOrbits : public testing::TestWithParam<Orbit> {};

TEST_P(MergerOrbits, HaveTheEnergyAndAngularMomentumOfTheirElements) {
  const Orbit& o = GetParam();
  const double G = 2, m = 3;
  const auto conditions = conditions_of("merger", 100,
                                        {{"mass", m},
                                         {"pericentre", o.pericentre},
                                         {"eccentricity", o.eccentricity},
                                         {"separation", o.separation},
                                         {"mass_ratio", o.mass_ratio}});
  ASSERT_FALSE(check_generator(conditions).has_value());
  const MergerOrbit orbit = merger_orbit(conditions, G);
  double r[3], v[3];
  for (int d = 0; d < 3; ++d) {
    r[d] = orbit.position[1][d] - orbit.position[0][d];
    v[d] = orbit.velocity[1][d] - orbit.velocity[0][d];
    EXPECT_NEAR(orbit.mass[0] * orbit.position[0][d] + orbit.mass[1] * orbit.position[1][d], 0, 1e-14 * m * o.separation);
    EXPECT_NEAR(orbit.mass[0] * orbit.velocity[0][d] + orbit.mass[1] * orbit.velocity[1][d], 0, 1e-13);
  }
  const double mu = G * (orbit.mass[0] + orbit.mass[1]), distance = std::hypot(r[0], r[1], r[2]);
  const double energy = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 - mu / distance;
  const double spin = r[0] * v[1] - r[1] * v[0];
  const double eccentricity = std::sqrt(std::max(0.0, 1 + 2 * energy * spin * spin / (mu * mu)));
  EXPECT_NEAR(distance, o.separation, 1e-14 * o.separation);
  EXPECT_NEAR(eccentricity, o.eccentricity, 1e-7);
  EXPECT_NEAR(spin * spin / mu / (1 + eccentricity), o.pericentre, 1e-7);
  EXPECT_LE(r[0] * v[0] + r[1] * v[1] + r[2] * v[2], 1e-12) << "the galaxies must approach each other";
}

INSTANTIATE_TEST_SUITE_P(Elements, MergerOrbits,
                         testing::Values(Orbit{1, 1, 10, 1}, Orbit{1, 0, 1, 0.5}, Orbit{2, 0.5, 5, 0.1}, Orbit{2, 0.5, 6, 1},
                                         Orbit{0.3, 2.5, 20, 0.25}, Orbit{0, 1, 8, 1}));

TEST(Merger, GalaxiesAreWhereTheOrbitHasThem) {
  const auto conditions = conditions_of(
      "merger", 60000,
      {{"model", std::string("hernquist")}, {"mass", 2.0}, {"mass_ratio", 0.5}, {"size_ratio", 0.5}, {"separation", 12.0}, {"taper", 5.0}});
  const MergerOrbit orbit = merger_orbit(conditions, 1.0);
  const ParticleSet particles = generate_all(conditions);
  EXPECT_EQ(std::count(particles.type.begin(), particles.type.end(), 1), 40000);
  double mass[2] = {}, position[2][3] = {}, velocity[2][3] = {};
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const int which = i < 40000 ? 0 : 1;
    ASSERT_EQ(particles.type[i], which + 1);
    mass[which] += particles.mass[i];
    for (std::size_t d = 0; d < 3; ++d) {
      position[which][d] += particles.mass[i] * particles.position[3 * i + d];
      velocity[which][d] += particles.mass[i] * particles.velocity[3 * i + d];
    }
  }
  for (int which = 0; which < 2; ++which) {
    EXPECT_NEAR(mass[which], orbit.mass[which], 1e-10);
    // Dispersions are below 2 and 1; four standard deviations.
    for (int d = 0; d < 3; ++d) {
      EXPECT_NEAR(position[which][d] / mass[which], orbit.position[which][d], 0.05);
      EXPECT_NEAR(velocity[which][d] / mass[which], orbit.velocity[which][d], 0.02);
    }
  }
}

/// Sum of m m' / distance over all pairs of both galaxies, over that of point masses.
double sampled_overlap(const InitialConditions& conditions) {
  const ParticleSet p = generate_all(conditions);
  // Spheres have the types 1 and 2; discs and haloes 1 to 4.
  const int last_of_first = conditions.text("model") == "disc" ? 2 : 1;
  const auto first = static_cast<std::size_t>(std::count_if(p.type.begin(), p.type.end(), [&](int type) { return type <= last_of_first; }));
  double sum = 0, masses[2] = {0, 0};
  for (std::size_t i = 0; i < p.size(); ++i) masses[i < first ? 0 : 1] += p.mass[i];
  for (std::size_t i = 0; i < first; ++i)
    for (std::size_t k = first; k < p.size(); ++k) {
      const double *x = &p.position[3 * i], *y = &p.position[3 * k];
      sum += p.mass[i] * p.mass[k] / std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
    }
  return sum * conditions.number("separation") / (masses[0] * masses[1]);
}

TEST(Merger, OverlapIsThatOfTheSample) {
  for (const char* model : {"plummer", "hernquist", "disc"}) {
    SCOPED_TRACE(model);
    auto conditions =
        conditions_of("merger", 3000, {{"mass_ratio", 0.5}, {"size_ratio", 0.7}, {"separation", 6.0}, {"inclination_1", 0.0}});
    conditions.parameters["model"] = std::string(model);
    EXPECT_NEAR(merger_overlap(conditions, 1), sampled_overlap(conditions), std::string(model) == "disc" ? 0.025 : 0.015);
    conditions.parameters["separation"] = 1e4;
    EXPECT_NEAR(merger_overlap(conditions, 1), 1, 1e-12);
  }
}

bool tells_of_overlap(const std::string& note) { return note.find("the galaxies overlap at the start") != std::string::npos; }

TEST(Merger, ANoteSaysTheEnergyOfAnOrbitOfGalaxiesThatOverlap) {
  auto conditions = conditions_of("merger", 4000, {{"separation", 30.0}});
  EXPECT_TRUE(prepare_model(conditions, 1.0).notes.empty()) << "Plummer spheres thirty scale radii apart";
  conditions.parameters["separation"] = 3.0;
  const std::vector<std::string> notes = prepare_model(conditions, 1.0).notes;
  ASSERT_EQ(notes.size(), 1U);
  const double factor = merger_overlap(conditions, 1);
  EXPECT_LT(factor, 0.95);
  EXPECT_TRUE(tells_of_overlap(notes[0])) << notes[0];
  EXPECT_NE(notes[0].find(fmt::format("energy of {:+.2f} of its kinetic energy in place of +0.00", 1 - factor)), std::string::npos)
      << notes[0];
}

TEST(Merger, ANoteIsToldOfGalaxiesOfComponents) {
  auto conditions = conditions_of("merger", 3000);
  // Neither has a disc, which takes long: the mass of one is a density, and the other has a black hole.
  conditions.galaxies = {{"one", {{"halo", "nfw", {{"density", 1e-3}, {"scale_radius", 5.0}}}}, {}},
                         {"other", {{"stars", "hernquist", {{"mass", 1.0}}}, {"black hole", "point", {{"mass", 0.1}}}}, {}}};
  conditions.parameters = {{"galaxy_1", std::string("one")}, {"galaxy_2", std::string("other")}, {"separation", 20.0}};
  const std::vector<std::string> notes = prepare_model(conditions, 2.0).notes;
  EXPECT_EQ(std::count_if(notes.begin(), notes.end(), tells_of_overlap), 1);
  // The point and the other sphere feel the same mass of the halo.
  const double factor = merger_overlap(conditions, 2);
  conditions.galaxies[1].components.erase(conditions.galaxies[1].components.begin());
  EXPECT_NEAR(merger_overlap(conditions, 2), factor, 0.03);
  conditions.parameters["separation"] = 3000.0;
  EXPECT_NEAR(merger_overlap(conditions, 2), 1, 1e-9);
}

TEST(Merger, EachGalaxyHasAtLeastOneParticleOfEachComponent) {
  const ParticleSet spheres = generate_all(conditions_of("merger", 10, {{"mass_ratio", 1e-6}}));
  EXPECT_EQ(std::count(spheres.type.begin(), spheres.type.end(), 1), 9);
  const ParticleSet discs = generate_all(conditions_of("merger", 10, {{"mass_ratio", 1e-6}, {"model", std::string("disc")}}));
  for (const int type : {3, 4}) EXPECT_EQ(std::count(discs.type.begin(), discs.type.end(), type), 1);
}

}  // namespace
}  // namespace grove::tests
