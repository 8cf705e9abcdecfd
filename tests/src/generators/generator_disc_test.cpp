// The disc in its halo: samples against the model, and the model against the equations it solves. Seeds are fixed; the bounds of samples
// are passed by all but one in a thousand.
#include <gtest/gtest.h>

#include "src/generators/disc_equilibrium.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

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

TEST(Disc, VerticalDispersionHoldsTheDiscUpAgainstItselfAndTheHalo) {
  // The Jeans equation in z, averaged over the particles of a column of density sech^2(z / height).
  const double height = 0.1, R = 2, width = 1e-3;
  const DiscEquilibrium model = disc_equilibrium(0.1);
  double pressure = 0, weighted = 0, weight = 0;
  for (double z = 2; z > 0; z -= width) {
    const double density = 1 / std::pow(std::cosh(z / height), 2), r = std::hypot(R, z);
    const double halo = 0.9 / std::pow(20.0 / 21, 2) / std::pow(r + 3, 2) * z / r;
    pressure += width * density * (2 * pi * model.surface_density(R) * std::tanh(z / height) + halo);
    weighted += width * pressure;
    weight += width * density;
  }
  EXPECT_NEAR(model.motion(R).sigma_vertical / std::sqrt(weighted / weight), 1.0, 0.01);
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

}  // namespace
}  // namespace grove::tests
