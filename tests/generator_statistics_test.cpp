// Samples against the models they are drawn from. Seeds are fixed; the bounds are passed by all but one sample in a thousand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "src/generators/disc_equilibrium.hpp"
#include "src/generators/generator.hpp"
#include "src/generators/merger.hpp"

namespace grove {
namespace {

constexpr double pi = std::numbers::pi;

InitialConditions conditions_of(const std::string& generator, std::uint64_t n, const std::map<std::string, Value>& parameters = {}) {
  InitialConditions conditions;
  conditions.generator = generator;
  conditions.n = n;
  conditions.parameters = parameters;
  return conditions;
}

ParticleSet generate_all(const InitialConditions& conditions, double G = 1.0) { return generate(conditions, G, 0, conditions.n); }

double length(const std::vector<double>& vectors, std::size_t i) {
  return std::hypot(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]);
}

// Kolmogorov's statistic sqrt(n) max |F_n - F|; above 1.95 in one sample of a thousand.
double kolmogorov(std::vector<double> sample, const std::function<double(double)>& distribution) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double largest = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = distribution(sample[i]);
    largest = std::max({largest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return std::sqrt(n) * largest;
}

std::vector<double> radii(const ParticleSet& particles) {
  std::vector<double> r(particles.size());
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = length(particles.position, i);
  return r;
}

double twice_kinetic(const ParticleSet& particles) {
  double sum = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) sum += particles.mass[i] * std::pow(length(particles.velocity, i), 2);
  return sum;
}

// Sum of m_i m_j / r_ij over pairs, G = 1.
double pair_potential(const ParticleSet& p) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double x = p.position[3 * i] - p.position[3 * j], y = p.position[3 * i + 1] - p.position[3 * j + 1];
      sum += p.mass[i] * p.mass[j] / std::hypot(x, y, p.position[3 * i + 2] - p.position[3 * j + 2]);
    }
  }
  return sum;
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
  const double a = 2.0, cutoff = 10.0;
  const ParticleSet particles = generate_all(conditions_of("plummer", 50000, {{"scale_radius", a}, {"cutoff", cutoff}}));
  const auto mass = [](double s) { return s * s * s / std::pow(1 + s * s, 1.5); };
  EXPECT_LT(kolmogorov(radii(particles), [&](double r) { return mass(r / a) / mass(cutoff); }), 1.95);
}

TEST(Plummer, SpeedsFollowTheDistributionFunction) {
  const ParticleSet particles = generate_all(conditions_of("plummer", 50000, {{"cutoff", 1e4}}), 3.0);
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
  const ParticleSet particles = generate_all(conditions_of("plummer", 100000, {{"cutoff", 1e4}}));
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

TEST(Hernquist, MassProfileIsTheModels) {
  const double a = 0.5, cutoff = 50;
  const ParticleSet particles = generate_all(conditions_of("hernquist", 50000, {{"scale_radius", a}, {"cutoff", cutoff}}));
  const auto mass = [](double s) { return std::pow(s / (1 + s), 2); };
  EXPECT_LT(kolmogorov(radii(particles), [&](double r) { return mass(r / a) / mass(cutoff); }), 1.95);
}

TEST(Hernquist, IsInVirialEquilibriumAndIsotropic) {
  const ParticleSet particles = generate_all(conditions_of("hernquist", 100000, {{"cutoff", 1e4}}));
  EXPECT_NEAR(twice_kinetic(particles) * 6, 1.0, 0.01);
  EXPECT_NEAR(anisotropy(particles), 1.0, 0.01);
}

// Radial dispersion squared, G = M = a = 1 (Hernquist 1990, eq. 10): the Jeans equation, independent of the distribution function.
double hernquist_dispersion2(double r) {
  return (12 * r * std::pow(1 + r, 3) * std::log((1 + r) / r) - r / (1 + r) * (25 + r * (52 + r * (42 + r * 12)))) / 12;
}

TEST(Hernquist, DispersionFollowsTheJeansEquationAtAllRadii) {
  const ParticleSet particles = generate_all(conditions_of("hernquist", 400000, {{"cutoff", 1e4}}));
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

TEST(Spheres, NoParticleIsBeyondTheCutoffOrUnbound) {
  for (const char* model : {"plummer", "hernquist"}) {
    const ParticleSet particles = generate_all(conditions_of(model, 20000, {{"cutoff", 3.0}}));
    const auto r = radii(particles);
    EXPECT_LE(*std::max_element(r.begin(), r.end()), 3.0 * (1 + 1e-12));
    EXPECT_GT(*std::max_element(r.begin(), r.end()), 2.9);
    const double mass = std::string(model) == "plummer" ? std::pow(1 + 1.0 / 9, 1.5) : 16.0 / 9;
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double potential = std::string(model) == "plummer" ? mass / std::hypot(r[i], 1.0) : mass / (1 + r[i]);
      ASSERT_LT(std::pow(length(particles.velocity, i), 2) / 2, potential);
    }
  }
}

TEST(UniformSphere, IsHomogeneousAndAtRest) {
  const ParticleSet particles = generate_all(conditions_of("uniform_sphere", 50000, {{"radius", 4.0}}));
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

// What `conditions_of("disc", ...)` describes with its defaults except for disc_mass, in units of its total mass and scale length.
DiscEquilibrium disc_equilibrium(double disc_mass, double height = 0.1) {
  return DiscEquilibrium({disc_mass, 1.0, height, 1.5, {1 - disc_mass, 3.0, 20.0, 1.0}, hernquist_profile()});
}

/// Positions and velocities of the disc's particles in cylindrical coordinates.
struct Cylindrical {
  std::vector<double> radius, height, rotation, radial, vertical;
};
Cylindrical cylindrical(const ParticleSet& p) {
  Cylindrical in;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.type[i] != 2) continue;
    const double *x = &p.position[3 * i], *v = &p.velocity[3 * i], R = std::hypot(x[0], x[1]);
    in.radius.push_back(R);
    in.height.push_back(x[2]);
    in.rotation.push_back((x[0] * v[1] - x[1] * v[0]) / R);
    in.radial.push_back((x[0] * v[0] + x[1] * v[1]) / R);
    in.vertical.push_back(v[2]);
  }
  return in;
}

TEST(Disc, SurfaceDensityIsExponentialAndTheVerticalProfileSechSquared) {
  const Cylindrical disc = cylindrical(generate_all(conditions_of("disc", 50000, {{"scale_length", 2.0}, {"height", 0.2}})));
  EXPECT_EQ(disc.radius.size(), 25000u);
  EXPECT_LT(kolmogorov(disc.radius, [](double R) { return 1 - (1 + R / 2) * std::exp(-R / 2); }), 1.95);
  EXPECT_LT(kolmogorov(disc.height, [](double z) { return (1 + std::tanh(z / 0.4)) / 2; }), 1.95);
}

TEST(Disc, HaloIsTheSphereAskedFor) {
  for (const char* model : {"plummer", "hernquist"}) {
    const ParticleSet all =
        generate_all(conditions_of("disc", 40000, {{"model", std::string(model)}, {"halo_radius", 5.0}, {"disc_mass", 0.2}}));
    const SphereProfile profile = std::string(model) == "plummer" ? plummer_profile() : hernquist_profile();
    std::vector<double> r;
    double mass = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.type[i] != 1) continue;
      r.push_back(length(all.position, i));
      mass += all.mass[i];
    }
    EXPECT_EQ(r.size(), 20000u);
    EXPECT_NEAR(mass, 0.8, 1e-10);
    EXPECT_LT(kolmogorov(r, [&](double x) { return profile.enclosed_mass(x / 5) / profile.enclosed_mass(20); }), 1.95) << model;
  }
}

// The potential of the disc of mass and scale length 1 in its plane: a sum over rings (Binney & Tremaine 2008, eq. 2.142), whose edges meet
// at `radius`.
double potential_of_rings(double radius) {
  constexpr double width = 1e-3;
  double sum = 0;
  for (int i = 0; i < 40000; ++i) {
    const double ring = width * (i + 0.5), k = 2 * std::sqrt(radius * ring) / (radius + ring);
    sum -= width * ring * std::exp(-ring) * 2 / pi * std::comp_ellint_1(k) / (radius + ring);
  }
  return sum;
}

TEST(Disc, CircularVelocityIsThatOfRingsAndSphere) {
  for (const double R : {0.5, 1.0, 2.0, 5.0, 15.0}) {
    const double of_disc = R * (potential_of_rings(R + 0.02) - potential_of_rings(R - 0.02)) / 0.04;
    const double of_halo = R / ((R + 3) * (R + 3)) / std::pow(20.0 / 21, 2);
    EXPECT_NEAR(disc_equilibrium(0.3).circular_velocity2(R) / (0.3 * of_disc + 0.7 * of_halo), 1.0, 2e-3) << R;
  }
}

TEST(Disc, CircularVelocityHasNoStepWhereTheDiscBecomesAPoint) {
  const DiscEquilibrium model = disc_equilibrium(0.9);
  EXPECT_NEAR(model.circular_velocity2(200.1) / model.circular_velocity2(199.9), 199.9 / 200.1, 3e-4);
}

TEST(Disc, RotatesMoreSlowlyThanCircularOrbitsByTheAsymmetricDrift) {
  const DiscEquilibrium model = disc_equilibrium(0.1);
  const Cylindrical disc = cylindrical(generate_all(conditions_of("disc", 400000)));
  for (const double R : {0.5, 1.0, 2.0, 4.0}) {
    double count = 0, rotation = 0, rotation2 = 0, radial2 = 0;
    for (std::size_t i = 0; i < disc.radius.size(); ++i) {
      if (std::abs(disc.radius[i] / R - 1) > 0.03) continue;
      ++count;
      rotation += disc.rotation[i];
      rotation2 += disc.rotation[i] * disc.rotation[i];
      radial2 += disc.radial[i] * disc.radial[i];
    }
    const double mean = rotation / count, azimuthal2 = rotation2 / count - mean * mean;
    radial2 /= count;
    EXPECT_LT(mean * mean, model.circular_velocity2(R));
    // The radial Jeans equation, with the pressure's gradient by differences of the model.
    const auto pressure = [&](double r) { return model.surface_density(r) * std::pow(model.motion(r).sigma_radial, 2); };
    const double gradient = std::log(pressure(1.01 * R) / pressure(0.99 * R)) / std::log(1.01 / 0.99);
    const double balance = mean * mean + azimuthal2 - radial2 * (1 + gradient);
    EXPECT_NEAR(balance / model.circular_velocity2(R), 1.0, 0.03) << R;
  }
}

TEST(Disc, HasToomresQAtTwoScaleLengths) {
  const DiscEquilibrium model = disc_equilibrium(0.1);
  const double omega2_gradient = (model.circular_velocity2(2.02) / (2.02 * 2.02) - model.circular_velocity2(1.98) / (1.98 * 1.98)) / 0.04;
  const double kappa2 = 4 * model.circular_velocity2(2) / 4 + 2 * omega2_gradient;
  EXPECT_NEAR(model.epicyclic_frequency2(2) / kappa2, 1, 1e-3);
  EXPECT_NEAR(model.motion(2).sigma_radial * std::sqrt(kappa2) / (3.36 * model.surface_density(2)), 1.5, 1e-3);
}

TEST(Disc, VelocitiesAreNormalWithTheMomentsOfTheModel) {
  const DiscEquilibrium model = disc_equilibrium(0.1);
  const Cylindrical disc = cylindrical(generate_all(conditions_of("disc", 40000)));
  std::vector<double> radial, azimuthal, vertical;
  for (std::size_t i = 0; i < disc.radius.size(); ++i) {
    const DiscMotion motion = model.motion(disc.radius[i]);
    radial.push_back(disc.radial[i] / motion.sigma_radial);
    azimuthal.push_back((disc.rotation[i] - motion.rotation) / motion.sigma_azimuthal);
    vertical.push_back(disc.vertical[i] / motion.sigma_vertical);
  }
  for (const auto& sample : {radial, azimuthal, vertical})
    EXPECT_LT(kolmogorov(sample, [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }), 1.95);
}

TEST(Disc, DiscAndHaloAreInVirialEquilibriumTogether) {
  for (const char* model : {"plummer", "hernquist"}) {
    const ParticleSet all =
        generate_all(conditions_of("disc", 4000, {{"disc_mass", 0.5}, {"model", std::string(model)}, {"cutoff", 100.0}}));
    EXPECT_NEAR(twice_kinetic(all) / pair_potential(all), 1.0, 0.05) << model;
  }
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
  const auto conditions = conditions_of("merger", 60000,
                                        {{"model", std::string("hernquist")},
                                         {"mass", 2.0},
                                         {"mass_ratio", 0.5},
                                         {"size_ratio", 0.5},
                                         {"separation", 12.0},
                                         {"cutoff", 5.0}});
  const MergerOrbit orbit = merger_orbit(conditions, 1.0);
  const std::uint64_t first = first_galaxy_count(conditions);
  EXPECT_EQ(first, 40000u);
  const ParticleSet particles = generate_all(conditions);
  double mass[2] = {}, position[2][3] = {}, velocity[2][3] = {};
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const int which = i < first ? 0 : 1;
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

TEST(Merger, EachGalaxyHasAtLeastOneParticle) {
  EXPECT_EQ(first_galaxy_count(conditions_of("merger", 10, {{"mass_ratio", 1e-6}})), 9u);
  EXPECT_EQ(first_galaxy_count(conditions_of("merger", 2)), 1u);
}

}  // namespace
}  // namespace grove
