// Samples of spheres against their distribution functions, Jeans' equations and the virial theorem. Seeds are fixed.
//
// GROVE_SPHERE_PARTICLES in the environment: how many particles each sphere has [20000]; more, and each kind has all tapers.
#include "src/galaxies/sphere_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "src/galaxies/density.hpp"
#include "src/galaxies/galaxy_model.hpp"
#include "tests/support/generator_sample.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {
namespace {

std::uint64_t particles() {
  const char* const given = std::getenv("GROVE_SPHERE_PARTICLES");
  return given ? std::strtoull(given, nullptr, 10) : 20000;
}

/// Samples of one in a thousand are above it: see kolmogorov().
constexpr double one_in_a_thousand = 1.95;

/// A sphere of mass 1 and scale radius 1 alone in its own field, G = 1.
struct Sphere {
  ComponentParameters component;
  RadialGrid grid;
  SphereMass mass;
  SphericalPotential potential;
  SphereDistribution distribution;

  Sphere(const std::string& kind, SettingValues values, const Anisotropy& anisotropy = {}, double softening = 1e-3)
      : component{"stars", kind, with_mass(std::move(values))},
        grid(grid_of({"galaxy", {component}, {}})),
        mass(sphere_mass(component, grid, 1)),
        potential(grid, force_of(mass.shells, grid, softening)),
        distribution(mass, potential, anisotropy) {}

  static SettingValues with_mass(SettingValues values) {
    values["mass"] = 1.0;
    return values;
  }
};

/// What a particle has: radius, velocity outwards, speed across, squared.
struct Orbit {
  double r, radial2, across2;
};

std::vector<Orbit> sample_of(const SphereDistribution& distribution, std::uint64_t n, std::uint64_t seed = 1) {
  std::vector<Orbit> sample;
  if (distribution.negative_at()) throw std::runtime_error("there is no distribution function");
  for (std::uint64_t id = 0; id < n; ++id) {
    RandomStream random(seed, id);
    double x[3], v[3], along = 0, speed2 = 0, r2 = 0;
    EXPECT_TRUE(distribution.draw(random, x, v));
    for (int d = 0; d < 3; ++d) {
      along += x[d] * v[d];
      speed2 += v[d] * v[d];
      r2 += x[d] * x[d];
    }
    sample.push_back({std::sqrt(r2), along * along / r2, speed2 - along * along / r2});
  }
  return sample;
}

/// How far the mean of `values` is from 1, in its standard deviations.
double sigmas_from_one(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double n = static_cast<double>(values.size()), mean = sum / n;
  return std::abs(mean - 1) / std::sqrt((squares / n - mean * mean) / n);
}

/// Part of the speeds at potential `psi` below infinity that is less than `speed`, for f(energy below infinity).
double part_slower(double speed, double psi, const std::function<double(double)>& f) {
  const auto speeds = [&](double v) { return v * v * f(psi - 0.5 * v * v); };
  const double fastest = std::sqrt(2 * psi);
  // Where f rises steeply at the lower end of speeds, pieces help.
  const auto integral = [&](double from, double to) { return boost::math::quadrature::gauss<double, 30>::integrate(speeds, from, to); };
  const double below = integral(0, 0.5 * speed) + integral(0.5 * speed, speed);
  return below / (below + integral(speed, 0.5 * (speed + fastest)) + integral(0.5 * (speed + fastest), fastest));
}

/// Kolmogorov's statistic of all particles' places in the distribution of speeds at their radius.
double kolmogorov_of_speeds(const SphereDistribution& distribution, const std::function<double(double)>& psi,
                            const std::function<double(double)>& f) {
  std::vector<double> places;
  for (const Orbit& orbit : sample_of(distribution, 10000))
    places.push_back(part_slower(std::sqrt(orbit.radial2 + orbit.across2), psi(orbit.r), f));
  return kolmogorov(places, [](double part) { return part; });
}

TEST(DistributionFunction, OfPlummersSphereIsTheClosedForm) {
  const Sphere sphere("plummer", {{"taper", 1e4}});
  EXPECT_LT(kolmogorov_of_speeds(
                sphere.distribution, [](double r) { return 1 / std::hypot(r, 1); }, [](double e) { return std::pow(e, 3.5); }),
            one_in_a_thousand);
}

TEST(DistributionFunction, OfHernquistsSphereIsTheClosedForm) {
  // Hernquist 1990, eq. 17.
  const auto f = [](double e) {
    const double q = std::sqrt(e), q2 = e;
    return (3 * std::asin(q) + q * std::sqrt(1 - q2) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3)) / std::pow(1 - q2, 2.5);
  };
  const Sphere sphere("hernquist", {{"taper", 1e4}});
  EXPECT_LT(kolmogorov_of_speeds(
                sphere.distribution, [](double r) { return 1 / (1 + r); }, f),
            one_in_a_thousand);
}

TEST(RadialDispersion, IsTheClosedForm) {
  const Sphere plummer("plummer", {{"taper", 1e4}}, {}, 0), hernquist("hernquist", {{"taper", 1e4}}, {}, 0);
  ASSERT_FALSE(plummer.distribution.negative_at());
  ASSERT_FALSE(hernquist.distribution.negative_at());
  for (const double r : {0.02, 0.3, 1.0, 5.0, 20.0}) {
    SCOPED_TRACE(r);
    EXPECT_NEAR(std::pow(plummer.distribution.radial_dispersion(std::log(r)), 2) * 6 * std::hypot(r, 1), 1, 1e-3);
    // Hernquist 1990, eq. 10.
    const double of_hernquist =
        (12 * r * std::pow(1 + r, 3) * std::log((1 + r) / r) - r / (1 + r) * (25 + r * (52 + r * (42 + r * 12)))) / 12;
    EXPECT_NEAR(std::pow(hernquist.distribution.radial_dispersion(std::log(r)), 2) / of_hernquist, 1, 2e-3);
  }
}

TEST(RadialDispersion, SolvesJeansEquationsOfAnisotropicOrbits) {
  // d(rho sigma^2)/dr + 2 beta rho sigma^2 / r = -rho M(r) / r^2 for Hernquist's sphere.
  const auto rho = [](double r) { return 1 / (r * std::pow(1 + r, 3)); };
  const auto dispersion2 = [&](double r, const std::function<double(double)>& weight) {
    const auto pull = [&](double u) { return weight(std::exp(u)) * rho(std::exp(u)) * std::exp(u) / std::pow(1 + std::exp(u), 2); };
    return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(pull, std::log(r), std::log(1e5), 12, 1e-10) /
           (weight(r) * rho(r));
  };
  for (const double beta : {-0.3, 0.3}) {
    const Sphere sphere("hernquist", {{"taper", 1e4}}, {beta, 0}, 0);
    for (const double r : {0.02, 0.3, 1.0, 5.0, 20.0}) {
      const double wanted = dispersion2(r, [&](double s) { return std::pow(s, 2 * beta); });
      EXPECT_NEAR(std::pow(sphere.distribution.radial_dispersion(std::log(r)), 2) / wanted, 1, 2e-3) << beta << ' ' << r;
      EXPECT_EQ(sphere.distribution.anisotropy_at(r), beta);
    }
  }
  const Sphere sphere("hernquist", {{"taper", 1e4}}, {0, 2}, 0);
  for (const double r : {0.02, 0.3, 1.0, 5.0, 20.0}) {
    const double wanted = dispersion2(r, [](double s) { return 1 + s * s / 4; });
    EXPECT_NEAR(std::pow(sphere.distribution.radial_dispersion(std::log(r)), 2) / wanted, 1, 2e-3) << "radius 2, " << r;
    EXPECT_NEAR(sphere.distribution.anisotropy_at(r), r * r / (r * r + 4), 1e-14);
  }
}

/// Mass inside a radius over the whole, by Simpson's rule over ln r.
std::function<double(double)> mass_inside(const SphereDensity& density) {
  constexpr std::size_t steps = 8000;
  const double first = std::log(1e-8), step = (std::log(density.last) - first) / steps;
  std::vector<double> inside{0};
  const auto shell = [&](double u) { return std::exp(3 * u) * (std::exp(u) < density.last ? density.at(std::exp(u)) : 0); };
  for (std::size_t k = 0; k < steps; ++k) {
    const double u = first + step * static_cast<double>(k);
    inside.push_back(inside.back() + (shell(u) + 4 * shell(u + step / 2) + shell(u + step)) * step / 6);
  }
  return [=](double r) {
    const double place = std::clamp((std::log(r) - first) / step, 0.0, steps - 1e-9);
    const auto k = static_cast<std::size_t>(place);
    return (inside[k] + (place - static_cast<double>(k)) * (inside[k + 1] - inside[k])) / inside.back();
  };
}

/// The largest of several deviations, in units of their noise.
struct Worst {
  double radial = 0, across = 0, beta = 0;
};

/// In ten shells of as many particles each: radial dispersion, that across by the anisotropy, and the anisotropy itself.
Worst jeans_dispersions(const SphereDistribution& distribution, std::vector<Orbit> sample) {
  constexpr std::size_t shells = 10;
  Worst worst;
  std::sort(sample.begin(), sample.end(), [](const Orbit& a, const Orbit& b) { return a.r < b.r; });
  for (std::size_t shell = 0; shell < shells; ++shell) {
    std::vector<double> radial, across, difference;
    for (std::size_t i = shell * sample.size() / shells; i < (shell + 1) * sample.size() / shells; ++i) {
      const double sigma2 = std::pow(distribution.radial_dispersion(std::log(sample[i].r)), 2);
      radial.push_back(sample[i].radial2 / sigma2);
      across.push_back(sample[i].across2 / (2 * sigma2 * (1 - distribution.anisotropy_at(sample[i].r))));
      difference.push_back(1 + across.back() - radial.back());
    }
    worst.radial = std::max(worst.radial, sigmas_from_one(radial));
    worst.across = std::max(worst.across, sigmas_from_one(across));
    worst.beta = std::max(worst.beta, sigmas_from_one(difference));
  }
  return worst;
}

class EverySphere : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() != "table") return;
    // A Plummer sphere.
    std::ofstream file(directory_.file("density.txt"));
    for (double s = 1e-3; s < 200; s *= 1.05) file << s << ' ' << std::pow(1 + s * s, -2.5) << '\n';
    values_["file"] = directory_.file("density.txt");
  }
  SettingValues values_;

 private:
  TemporaryDirectory directory_;
};

TEST_P(EverySphere, HasItsDensityAndTheDispersionsOfJeansEquations) {
  for (const Anisotropy& anisotropy : {Anisotropy{0, 0}, Anisotropy{-0.3, 0}, Anisotropy{0.3, 0}, Anisotropy{0, 2}}) {
    SCOPED_TRACE("beta " + std::to_string(anisotropy.beta) + ", radius " + std::to_string(anisotropy.radius));
    const Sphere sphere(GetParam(), values_, anisotropy);
    if (sphere.distribution.negative_at()) {
      // A flat core cannot have beta > 0 in its centre, nor can density that hardly falls be of radial orbits. Cusps and isotropic
      // spheres have their distribution functions.
      const bool has_core = std::set<std::string>{"plummer", "einasto", "king", "isothermal", "uniform", "table"}.count(GetParam()) > 0;
      const bool hardly_falls = GetParam() == "isothermal" || GetParam() == "uniform";
      EXPECT_TRUE((anisotropy.beta > 0 && has_core) || (anisotropy.radius > 0 && hardly_falls)) << "no equilibrium";
      continue;
    }
    const std::vector<Orbit> sample = sample_of(sphere.distribution, particles());
    const Worst worst = jeans_dispersions(sphere.distribution, sample);
    EXPECT_LT(worst.radial, 4);
    EXPECT_LT(worst.across, 4);
    EXPECT_LT(worst.beta, 4);
    std::vector<double> radii;
    for (const Orbit& orbit : sample) radii.push_back(orbit.r);
    const double of_density = kolmogorov(radii, mass_inside(density_of(sphere.component)));
    EXPECT_LT(of_density, one_in_a_thousand);
    std::printf("beta %4.1f, radius %g: density %.2f of %.2f; sigma_r %.1f, sigma_t %.1f, beta %.1f of 4 sigma\n", anisotropy.beta,
                anisotropy.radius, of_density, one_in_a_thousand, worst.radial, worst.across, worst.beta);
  }
}

std::vector<std::string> kinds_of_spheres() {
  std::vector<std::string> kinds;
  for (const ComponentKind& kind : component_kinds())
    if (!is_disc(kind.name) && !is_point(kind.name)) kinds.push_back(kind.name);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Table, EverySphere, testing::ValuesIn(kinds_of_spheres()), [](const auto& test) { return test.param; });

TEST_P(EverySphere, IsInVirialEquilibriumWithAnyTaperAndSoftening) {
  std::vector<double> tapers{1, 3, 10, 30, 100}, softenings{0.2, 1e-3};
  if (particles() <= 20000) {
    // One sphere for each kind.
    tapers = {tapers[GetParam().size() % tapers.size()]};
    softenings = {0.2};
  }
  if (GetParam() == "king") tapers = {0};
  for (const double taper : tapers)
    for (const double softening : softenings) {
      if (taper > 0) values_["taper"] = taper;
      const Sphere sphere(GetParam(), values_, {}, softening);
      double twice_kinetic = 0, virial = 0, squares = 0;
      for (const Orbit& orbit : sample_of(sphere.distribution, particles())) {
        const double own = orbit.radial2 + orbit.across2, pull = sphere.potential.gradient(std::log(orbit.r));
        twice_kinetic += own;
        virial += pull;
        squares += (own - pull) * (own - pull);
      }
      const double noise = std::sqrt(squares) / virial;
      EXPECT_NEAR(twice_kinetic / virial, 1, 0.001 + 4 * noise) << "taper " << taper << ", softening " << softening;
      std::printf("taper %g, softening %g: virial ratio %.4f +- %.4f\n", taper, softening, twice_kinetic / virial, noise);
    }
}

/// The message of a galaxy's ConfigError.
std::string refusal(const GalaxyParameters& galaxy) {
  try {
    galaxy_components(galaxy, 100000, 1);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

void expect_no_equilibrium_of_stars(std::vector<ComponentParameters> components) {
  const std::string message = refusal({"mine", std::move(components), {}});
  EXPECT_NE(message.find("galaxy mine: component stars: no equilibrium: its distribution function is negative at the energy -"),
            std::string::npos)
      << '"' << message << '"';
}

TEST(NegativeDistribution, IsRefusedForRadialOrbitsInACore) {
  expect_no_equilibrium_of_stars({{"stars", "plummer", {{"mass", 1.0}, {"anisotropy_radius", 0.3}}}});
  expect_no_equilibrium_of_stars({{"stars", "plummer", {{"mass", 1.0}, {"anisotropy", 0.3}}}});
  EXPECT_EQ(refusal({"mine", {{"stars", "plummer", {{"mass", 1.0}, {"anisotropy_radius", 1.2}}}}, {}}), "");
}

TEST(DistributionFunction, OfACoreIsPositiveForSofteningBelowAndAboveTheInnermostRadius) {
  for (const char* kind : {"plummer", "king"})
    for (const double softening : {0.0, 3e-3})
      EXPECT_FALSE(Sphere(kind, {}, {}, softening).distribution.negative_at()) << kind << ", softening " << softening;
}

TEST(DistributionFunction, OfAUniformSphereIsPositiveForAnyTaper) {
  for (const double taper : {0.1, 30.0, 100.0, 1e4})
    EXPECT_FALSE(Sphere("uniform", {{"taper", taper}}, {}, 0.2).distribution.negative_at()) << taper;
}

TEST(NegativeDistribution, IsRefusedForAHollowSphere) {
  const TemporaryDirectory directory;
  std::ofstream file(directory.file("hollow.txt"));
  for (double s = 0.01; s < 100; s *= 1.2) file << s << ' ' << s * s * std::pow(1 + s * s, -3.5) << '\n';
  file.close();
  expect_no_equilibrium_of_stars({{"stars", "table", {{"mass", 1.0}, {"file", directory.file("hollow.txt")}}}});
}

TEST(NegativeDistribution, IsRefusedForACoreAroundABlackHoleAndNotForACusp) {
  const ComponentParameters hole{"hole", "point", {{"mass", 1.0}, {"softening", 1e-3}}};
  expect_no_equilibrium_of_stars({{"stars", "plummer", {{"mass", 1.0}, {"softening", 1e-3}}}, hole});
  EXPECT_EQ(refusal({"mine", {{"stars", "hernquist", {{"mass", 1.0}, {"softening", 1e-3}}}, hole}, {}}), "");
}

}  // namespace
}  // namespace grove::tests
