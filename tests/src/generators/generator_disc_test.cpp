// Discs of a few keys: particles of a sample against the disc and the halo that the keys describe. Seeds are fixed; the bounds of samples
// are passed by all but one in a thousand.
#include "src/generators/disc.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "src/galaxies/galaxy_model.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

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

/// Mass inside s of a density in its scale radius times sech(s / taper), over the whole, by the midpoint rule over ln s.
std::function<double(double)> tapered_mass(const std::function<double(double)>& density, double taper) {
  constexpr double first = 1e-5, step = 2e-3;
  std::vector<double> inside{0};
  for (double s = first * std::exp(step / 2); s < 40 * taper; s *= std::exp(step))
    inside.push_back(inside.back() + s * s * s * density(s) / std::cosh(s / taper));
  return [=](double s) {
    const auto k = static_cast<std::size_t>(std::max(std::log(s / first) / step, 0.0));
    return inside[std::min(k, inside.size() - 1)] / inside.back();
  };
}

TEST(Disc, HaloIsTheSphereAskedFor) {
  for (const char* model : {"plummer", "hernquist"}) {
    const ParticleSet all =
        generate_all(conditions_of("disc", 40000, {{"model", std::string(model)}, {"halo_radius", 0.8}, {"taper", 8.0}}));
    const bool is_plummer = std::string(model) == "plummer";
    const auto mass =
        tapered_mass([=](double s) { return is_plummer ? std::pow(1 + s * s, -2.5) : 1 / (s * (1 + s) * (1 + s) * (1 + s)); }, 8);
    std::vector<double> r;
    double total = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all.type[i] != 1) continue;
      r.push_back(length(all.position, i));
      total += all.mass[i];
    }
    EXPECT_EQ(r.size(), 20000u);
    EXPECT_NEAR(total, 0.9, 1e-10);
    EXPECT_LT(kolmogorov(r, [&](double x) { return mass(x / 0.8); }), 1.95) << model;
  }
}

TEST(Disc, RotatesAndIsAsThickAndHotAsItsKeysSay) {
  const auto conditions = conditions_of("disc", 200000, {{"toomre_q", 1.2}, {"height", 0.05}, {"disc_mass", 0.12}});
  GalaxyParameters galaxy = disc_galaxy(conditions, "disc", "hernquist", 1, 1);
  for (ComponentParameters& component : galaxy.components) component.values["softening"] = 1e-6;
  const auto model = galaxy_components(galaxy, conditions.n, 1)[1].disc;
  const Cylindrical disc = cylindrical(generate_all(conditions));
  for (const double R : {1.0, 2.0, 3.0}) {
    double count = 0, rotation = 0, rotation2 = 0, radial2 = 0, vertical2 = 0, height = 0;
    for (std::size_t i = 0; i < disc.radius.size(); ++i) {
      if (std::abs(disc.radius[i] / R - 1) > 0.05) continue;
      ++count;
      rotation += disc.rotation[i];
      rotation2 += disc.rotation[i] * disc.rotation[i];
      radial2 += disc.radial[i] * disc.radial[i];
      vertical2 += disc.vertical[i] * disc.vertical[i];
      height += std::abs(disc.height[i]);
    }
    const double noise = 4 / std::sqrt(count), sigma = std::sqrt(radial2 / count), circular2 = std::pow(model->circular_velocity(R), 2);
    EXPECT_NEAR(height / count / (0.05 * std::log(2)), 1, 0.02 + noise) << R;
    EXPECT_NEAR(std::sqrt(vertical2 / count) / model->vertical_dispersion(R), 1, 0.02 + noise) << R;
    EXPECT_NEAR(sigma * model->epicyclic_frequency(R) / (3.36 * model->surface_density(R)) / model->toomre_q(R), 1, 0.03 + noise) << R;
    EXPECT_LT(std::pow(rotation / count, 2), circular2) << "asymmetric drift";
    // The radial Jeans equation, with the pressure's gradient by differences of the model.
    const auto pressure = [&](double r) { return model->surface_density(r) * std::pow(model->radial_dispersion(r), 2); };
    const double gradient = std::log(pressure(1.01 * R) / pressure(0.99 * R)) / std::log(1.01 / 0.99);
    EXPECT_NEAR((rotation2 - radial2 * (1 + gradient)) / count / circular2, 1.0, 0.03) << R;
  }
  EXPECT_NEAR(model->toomre_q(2), 1.2, 1e-3);
  // Disc and halo share the mass: the field of a thin disc and of a halo with a taper, to a few per cent.
  const double y = 1,
               of_disc = 2 * 0.12 * (std::cyl_bessel_i(0, y) * std::cyl_bessel_k(0, y) - std::cyl_bessel_i(1, y) * std::cyl_bessel_k(1, y));
  const auto halo = tapered_mass([](double s) { return 1 / (s * (1 + s) * (1 + s) * (1 + s)); }, 20);
  EXPECT_NEAR(std::pow(model->circular_velocity(2), 2) / (of_disc + 0.88 * halo(2.0 / 3) / 2), 1, 0.05);
}

TEST(Disc, DiscAndHaloAreInVirialEquilibriumTogether) {
  for (const char* model : {"plummer", "hernquist"})
    for (const double taper : {2.0, 100.0}) {
      const ParticleSet all =
          generate_all(conditions_of("disc", 4000, {{"halo_radius", 0.8}, {"model", std::string(model)}, {"taper", taper}}));
      EXPECT_NEAR(twice_kinetic(all) / pair_potential(all), 1.0, 0.04) << model << ", taper " << taper;
    }
}

std::string refusal(const std::map<std::string, Value>& keys) {
  try {
    generate_all(conditions_of("disc", 100, keys));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Disc, WithoutEquilibriumIsRefused) {
  const std::string wide = refusal({{"disc_mass", 0.9}, {"model", std::string("plummer")}, {"halo_radius", 30.0}});
  EXPECT_NE(wide.find("galaxy disc: component halo: no equilibrium"), std::string::npos) << wide;
}

}  // namespace
}  // namespace grove::tests
