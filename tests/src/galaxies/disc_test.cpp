// Potential, vertical motion and distribution function of discs. Seeds are fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "src/galaxies/disc_distribution.hpp"
#include "src/galaxies/disc_potential.hpp"
#include "src/galaxies/vertical_distribution.hpp"
#include "tests/support/generator_sample.hpp"

namespace grove::tests {
namespace {

constexpr double one_in_a_thousand = 1.95;  // see kolmogorov()

ComponentParameters disc_of(double height, const std::string& vertical = "sech2") {
  return {"disc", "exponential", {{"mass", 2.0}, {"scale_length", 3.0}, {"height", height}, {"vertical", vertical}}};
}

/// A few radii from 0.3 to 5 scale lengths.
PlanePotential few_radii(std::vector<double> heights) {
  std::vector<double> weights(heights.size(), 0);
  weights[0] = 1;
  return {{3.0, 0.25, 10}, std::move(heights), std::move(weights)};
}

double surface_density(double R) { return 2.0 / (2 * pi * 9) * std::exp(-R / 3); }

TEST(DiscPotential, OfAThinDiscRotatesAsFreemansDoes) {
  constexpr double G = 5;
  PlanePotential plane = few_radii({0});
  add_disc(disc_of(1e-3), 0, G, plane);
  for (std::size_t n = 0; n < plane.grid.count; ++n) {
    const double R = plane.grid.radius(n), y = R / 6;
    const double bessel = std::cyl_bessel_i(0, y) * std::cyl_bessel_k(0, y) - std::cyl_bessel_i(1, y) * std::cyl_bessel_k(1, y);
    EXPECT_NEAR(plane.circular_velocity2[n] / (2 * G * 2 / 3 * y * y * bessel), 1, 5e-3) << R;
  }
}

/// Integral over a thin disc of a function of the distance to (R, 0, 0) in the plane, squared, and of the way along x from there.
double over_disc(double R, const std::function<double(double along, double distance2)>& function) {
  constexpr int angles = 400;
  const auto ring = [&](double radius) {
    double sum = 0;
    for (int k = 0; k < angles; ++k) {
      const double phi = 2 * pi * (k + 0.5) / angles, x = radius * std::cos(phi) - R, y = radius * std::sin(phi);
      sum += function(x, x * x + y * y);
    }
    return sum * 2 * pi / angles * radius * surface_density(radius);
  };
  double sum = 0;
  for (double from = 0; from < 90; from += 0.5) sum += boost::math::quadrature::gauss<double, 10>::integrate(ring, from, from + 0.5);
  return sum;
}

TEST(DiscPotential, OfASoftenedDiscIsTheSumOverItsRings) {
  constexpr double G = 5, softening = 0.6, z = 0.9;
  PlanePotential plane = few_radii({0, 0.4, z});
  add_disc(disc_of(1e-3), softening, G, plane);
  for (const std::size_t n : {1, 4, 8}) {
    const double R = plane.grid.radius(n);
    const auto pull = [&](double along, double d2) { return -along / std::pow(d2 + softening * softening, 1.5); };
    const auto above = [&](double, double d2) {
      return 1 / std::sqrt(d2 + softening * softening) - 1 / std::sqrt(d2 + softening * softening + z * z);
    };
    EXPECT_NEAR(plane.circular_velocity2[n] / (G * R * over_disc(R, pull)), 1, 2e-3) << R;
    EXPECT_NEAR(plane.above_plane[3 * n + 2] / (G * over_disc(R, above)), 1, 2e-3) << R;
  }
}

TEST(DiscPotential, SolvesPoissonsEquationNearThePlane) {
  // nu^2 = 4 pi G rho - d(v^2)/dR / R, of which the second term is small in a thin disc.
  constexpr double G = 5, height = 0.02, z = 0.012;
  for (const char* vertical : {"sech2", "exponential"}) {
    PlanePotential plane = few_radii({0, z, 2 * z});
    add_disc(disc_of(height, vertical), 0, G, plane);
    for (std::size_t n = 1; n + 1 < plane.grid.count; ++n) {
      const double R = plane.grid.radius(n);
      const double radial =
          (plane.circular_velocity2[n + 1] - plane.circular_velocity2[n - 1]) / (plane.grid.radius(n + 1) - plane.grid.radius(n - 1)) / R;
      // Mean of the density over the heights, with the weight (z - height) of the second integral.
      const double x = z / (3 * height);
      const double mean = std::string(vertical) == "sech2" ? 2 * std::log(std::cosh(x)) / (x * x) : 2 * (std::expm1(-x) + x) / (x * x);
      const double wanted = 4 * pi * G * surface_density(R) / (2 * 3 * height) * mean - radial;
      EXPECT_NEAR(2 * plane.above_plane[3 * n + 1] / (z * z) / wanted, 1, 0.01) << vertical << ' ' << R;
    }
  }
}

TEST(DiscPotential, OfSphereAndPointIsThatOfTheirMass) {
  constexpr double G = 5, softening = 0.3;
  const GalaxyParameters galaxy{"galaxy", {{"halo", "plummer", {{"mass", 4.0}, {"scale_radius", 2.0}, {"taper", 1e4}}}}, {}};
  const RadialGrid grid = grid_of(galaxy);
  PlanePotential halo = few_radii({0, 0.2, 1.5}), point = halo;
  add_sphere(sphere_mass(galaxy.components[0], grid, G).shells, grid, 0, G, halo);
  add_point(4, softening, G, point);
  for (std::size_t n = 0; n < halo.grid.count; ++n) {
    const double R = halo.grid.radius(n);
    for (const auto& [plane, core] : {std::pair{&halo, 2.0}, std::pair{&point, softening}}) {
      EXPECT_NEAR(plane->circular_velocity2[n] / (4 * G * R * R * std::pow(R * R + core * core, -1.5)), 1, 1e-3) << R;
      for (const std::size_t j : {1, 2}) {
        const double above = 4 * G * (1 / std::hypot(R, core) - 1 / std::hypot(R, core, plane->heights[j]));
        EXPECT_NEAR(plane->above_plane[3 * n + j] / above, 1, 1e-3) << R;
      }
    }
  }
}

TEST(DiscPotential, IsAMeanOverHeightsWithItsDerivativesAtAnyRadius) {
  constexpr double G = 5, spacing = 0.02;
  constexpr std::size_t n = 99;
  const GalaxyParameters galaxy{"galaxy", {{"halo", "hernquist", {{"mass", 4.0}, {"scale_radius", 2.0}}}, disc_of(0.1)}, {}};
  const RadialGrid grid = grid_of(galaxy);
  const Shells shells = sphere_mass(galaxy.components[0], grid, G).shells;
  const auto potential_at = [&](const std::string& of, double R) {
    PlanePotential plane({R / std::sinh(spacing * (n + 0.5)), spacing, n + 2}, {0, 0.2, 0.5}, {0.5, 0.3, 0.2});
    if (of == "disc") add_disc(galaxy.components[1], 0.05, G, plane);
    if (of == "sphere") add_sphere(shells, grid, 0.05, G, plane);
    if (of == "point") add_point(1, 1e-6, G, plane);
    return plane;
  };
  for (const char* of : {"disc", "sphere", "point"})
    for (const double R : {0.01, 0.3, 2.0, 9.0}) {
      SCOPED_TRACE(testing::Message() << of << " at " << R);
      const PlanePotential plane = potential_at(of, R);
      const double v2 = plane.circular_velocity2[n], slope = plane.slope_of_velocity2[n],
                   step = std::log(plane.grid.radius(n + 1) / plane.grid.radius(n - 1));
      EXPECT_NEAR((plane.potential[n + 1] - plane.potential[n - 1]) / step / v2, 1, 2e-3);
      EXPECT_NEAR((plane.circular_velocity2[n + 1] - plane.circular_velocity2[n - 1]) / step, slope, 2e-3 * (v2 + std::abs(slope)));
    }
}

TEST(DiscPotential, FarFromAThinDiscIsThatOfItsMassInTheCentre) {
  constexpr double height = 1e-3;
  PlanePotential plane({3.0, 1.1, 4}, {0, 3 * height}, {1, 0});
  add_disc(disc_of(height), 0, 1, plane);
  const double R = plane.grid.radius(3), v2 = 2 / R, above = v2 * 9 * height * height / (2 * R * R);
  EXPECT_GT(R, 60);
  EXPECT_NEAR(plane.circular_velocity2[3] / v2, 1.01, 0.01);
  EXPECT_NEAR((2 * plane.circular_velocity2[3] + plane.slope_of_velocity2[3]) / v2, 0.99, 0.02);
  // Within what is left of the disc's own density there.
  EXPECT_GT(plane.above_plane[7], above);
  EXPECT_LT(plane.above_plane[7], 4 * above);
}

TEST(DiscShells, HoldTheMassInsideEachRadius) {
  const GalaxyParameters galaxy{"galaxy", {disc_of(0.3)}, {}};
  const RadialGrid grid = grid_of(galaxy);
  const Shells shells = shells_of_disc(galaxy.components[0], grid);
  EXPECT_NEAR(shells.total(), 2, 1e-8);
  double inside = shells.core;
  for (std::size_t k = 0; k < grid.count; ++k) {
    inside += shells.mass[k];
    const double r = std::exp(grid.log_radius(k) + 0.5 * RadialGrid::spacing);
    if (k % 100 != 0 || r < 0.3 || r > 30) continue;
    const auto column = [&](double R) { return 2 * pi * R * surface_density(R) * std::tanh(std::sqrt(r * r - R * R) / 0.9); };
    double wanted = 0;
    for (int piece = 0; piece < 40; ++piece)
      wanted += boost::math::quadrature::gauss<double, 20>::integrate(column, r * piece / 40, r * (piece + 1) / 40);
    EXPECT_NEAR(inside / wanted, 1, 1e-3) << r;
  }
}

TEST(HeightLaw, HasPartsSlopeAndMeanOfItsDensity) {
  for (const bool is_sech2 : {true, false}) {
    const HeightLaw law(0.4, is_sech2);
    const auto integral = [&](double to, const auto& function) {
      double sum = 0;
      for (int piece = 0; piece < 40; ++piece)
        sum += boost::math::quadrature::gauss<double, 10>::integrate(function, to * piece / 40, to * (piece + 1) / 40);
      return sum;
    };
    const auto density = [&](double z) { return law.density(z); };
    const double half = integral(20, density);
    for (const double z : {0.1, 0.4, 1.5}) {
      EXPECT_NEAR(law.part_within(-z), integral(z, density) / half, 1e-9);
      EXPECT_NEAR(law.height_with(law.part_within(z)), z, 1e-12);
      EXPECT_NEAR(law.slope(z), (law.density(z + 1e-5) - law.density(z - 1e-5)) / 2e-5, 1e-8);
    }
    EXPECT_NEAR(law.mean(), integral(20, [&](double z) { return z * law.density(z); }) / half, 1e-9);
  }
}

/// The heights of plane_of().
std::vector<double> heights_of(double height) {
  std::vector<double> heights;
  for (int j = 0; j <= 40; ++j) heights.push_back(12 * height * j * j / 1600.0);
  return heights;
}

std::vector<std::pair<double, double>> drawn(const VerticalDistribution& distribution, std::uint64_t n) {
  std::vector<std::pair<double, double>> sample;
  for (std::uint64_t id = 0; id < n; ++id) {
    RandomStream random(1, id);
    double z = 0, vz = 0;
    EXPECT_TRUE(distribution.draw(random, z, vz));
    sample.emplace_back(z, vz);
  }
  return sample;
}

TEST(VerticalDistribution, OfAnIsothermalSheetIsGaussianAtAllHeights) {
  // Spitzer 1942: the sheet sech^2(z / height) in its own potential 2 sigma^2 ln cosh(z / height).
  constexpr double height = 0.4, sigma = 3;
  const std::vector<double> heights = heights_of(height);
  std::vector<double> potential;
  for (const double z : heights) potential.push_back(2 * sigma * sigma * std::log(std::cosh(z / height)));
  const VerticalDistribution sheet(heights, potential.data(), {height, true});
  EXPECT_NEAR(sheet.dispersion() / sigma, 1, 2e-3);
  std::vector<double> z, low, high;
  for (const auto& [at, velocity] : drawn(sheet, 40000)) {
    z.push_back(at);
    (std::abs(at) < height ? low : high).push_back(velocity);
  }
  const auto gaussian = [&](double v) { return 0.5 * std::erfc(-v / (sigma * std::sqrt(2.0))); };
  EXPECT_LT(kolmogorov(z, [&](double at) { return 0.5 * (1 + std::tanh(at / height)); }), one_in_a_thousand);
  EXPECT_LT(kolmogorov(low, gaussian), one_in_a_thousand);
  EXPECT_LT(kolmogorov(high, gaussian), one_in_a_thousand);
}

TEST(VerticalDistribution, WithoutAForceHasNoVelocityToDraw) {
  std::vector<double> heights;
  for (int j = 0; j <= 40; ++j) heights.push_back(0.01 * j * j);
  const std::vector<double> potential(heights.size(), 0.0);
  const VerticalDistribution distribution(heights, potential.data(), {1, true});
  RandomStream random(1, 1);
  double z = 0, vz = 0;
  EXPECT_FALSE(distribution.draw(random, z, vz));
}

TEST(VerticalDistribution, OfAnExponentialLawHasTheDispersionOfItsForce) {
  // In 2 s^2 ln cosh(z / b), by parts: rho sigma^2 is the integral of rho dPhi/dz over all that is above.
  constexpr double height = 0.4, b = 0.7, s = 3;
  const std::vector<double> heights = heights_of(height);
  std::vector<double> potential;
  for (const double z : heights) potential.push_back(2 * s * s * std::log(std::cosh(z / b)));
  const VerticalDistribution law(heights, potential.data(), {height, false});
  const auto pressure_from = [&](double from) {
    const auto pull = [&](double z) { return std::exp(-z / height) * 2 * s * s / b * std::tanh(z / b); };
    double sum = 0;
    for (int piece = 0; piece < 16; ++piece)
      sum += boost::math::quadrature::gauss<double, 10>::integrate(pull, from + 0.4 * piece, from + 0.4 * (piece + 1));
    return sum;
  };
  double work = 0;
  for (int piece = 0; piece < 16; ++piece)
    work += boost::math::quadrature::gauss<double, 10>::integrate(pressure_from, 0.4 * piece, 0.4 * (piece + 1));
  const double wanted2 = work / height;
  EXPECT_NEAR(law.dispersion() / std::sqrt(wanted2), 1, 2e-3);
  const auto sample = drawn(law, 20000);
  std::vector<double> z;
  for (const auto& [at, velocity] : sample) z.push_back(std::abs(at));
  EXPECT_LT(kolmogorov(z, [&](double at) { return -std::expm1(-at / height); }), one_in_a_thousand);
  // In layers, too.
  for (const double from : {0.0, 0.2, 0.4, 0.8}) {
    double sum = 0, squares = 0, count = 0;
    for (const auto& [at, velocity] : sample) {
      if (std::abs(at) < from || std::abs(at) >= std::max(0.2, 2 * from)) continue;
      const double v2 = velocity * velocity * std::exp(-std::abs(at) / height) / pressure_from(std::abs(at));
      sum += v2;
      squares += v2 * v2;
      ++count;
    }
    EXPECT_NEAR(sum / count, 1, 4 * std::sqrt(squares) / count) << from;
  }
}

/// A disc of mass 1 and scale length 1 in a halo of mass 8, G = 1.
class DiscInHalo : public testing::Test {
 protected:
  static ComponentParameters disc(double counter_rotating, const std::string& vertical) {
    return {"disc",
            "exponential",
            {{"mass", 1.0},
             {"scale_length", 1.0},
             {"height", 0.15},
             {"toomre_q", 1.5},
             {"q_radius", 2.0},
             {"counter_rotating", counter_rotating},
             {"vertical", vertical}}};
  }

  static const PlanePotential& plane() {
    static const PlanePotential made = [] {
      const GalaxyParameters galaxy{"galaxy", {{"halo", "hernquist", {{"mass", 8.0}, {"scale_radius", 4.0}}}, disc(0, "sech2")}, {}};
      const RadialGrid grid = grid_of(galaxy);
      PlanePotential potential = plane_of(galaxy.components[1]);
      add_sphere(sphere_mass(galaxy.components[0], grid, 1).shells, grid, 0.02, 1, potential);
      add_disc(galaxy.components[1], 0.02, 1, potential);
      return potential;
    }();
    return made;
  }

  static const DiscDistribution& rotating() {
    static const DiscDistribution made(disc(0, "sech2"), plane(), 1);
    return made;
  }

  struct Star {
    double R, z, outwards, around, up;
  };
  static std::vector<Star> sample_of(const DiscDistribution& distribution, std::uint64_t n) {
    std::vector<Star> stars;
    for (std::uint64_t id = 0; id < n; ++id) {
      RandomStream random(3, id);
      double x[3], v[3];
      EXPECT_TRUE(distribution.draw(random, x, v));
      const double R = std::hypot(x[0], x[1]);
      stars.push_back({R, x[2], (x[0] * v[0] + x[1] * v[1]) / R, (x[0] * v[1] - x[1] * v[0]) / R, v[2]});
    }
    return stars;
  }

  /// Mean of a function over the stars of a ring, and the standard deviation of the mean.
  struct Mean {
    double value, sigma;
  };
  static Mean mean_in(const std::vector<Star>& stars, double from, double to, const std::function<double(const Star&)>& function) {
    double sum = 0, squares = 0, count = 0;
    for (const Star& star : stars) {
      if (star.R < from || star.R >= to) continue;
      const double value = function(star);
      sum += value;
      squares += value * value;
      ++count;
    }
    return {sum / count, std::sqrt((squares / count - sum * sum / (count * count)) / count)};
  }

  static constexpr double rings[] = {0.2, 0.6, 1, 1.5, 2, 3, 4, 6};
};

TEST_F(DiscInHalo, HasTheWantedSurfaceDensityDispersionsAndThickness) {
  const DiscDistribution& distribution = rotating();
  EXPECT_LT(distribution.misfit(), 3e-4);
  EXPECT_GT(distribution.misfit(), 0);
  const std::vector<Star> stars = sample_of(distribution, 100000);
  std::vector<double> radii;
  for (const Star& star : stars) radii.push_back(star.R);
  EXPECT_LT(kolmogorov(radii, [](double R) { return 1 - (1 + R) * std::exp(-R); }), one_in_a_thousand);
  for (std::size_t ring = 0; ring + 1 < std::size(rings); ++ring) {
    SCOPED_TRACE(rings[ring]);
    const auto in_ring = [&](const std::function<double(const Star&)>& f) { return mean_in(stars, rings[ring], rings[ring + 1], f); };
    const Mean radial2 = in_ring([&](const Star& s) { return std::pow(s.outwards / distribution.radial_dispersion(s.R), 2); });
    EXPECT_NEAR(radial2.value, 1, 0.03 + 4 * radial2.sigma);
    const Mean height = in_ring([](const Star& s) { return std::abs(s.z) / (0.15 * std::log(2)); });
    EXPECT_NEAR(height.value, 1, 0.02 + 4 * height.sigma);
    const Mean vertical2 = in_ring([&](const Star& s) { return std::pow(s.up / distribution.vertical_dispersion(s.R), 2); });
    EXPECT_NEAR(vertical2.value, 1, 0.04 + 4 * vertical2.sigma);
    for (const auto& [what, mean] :
         {std::pair{"outwards", in_ring([](const Star& s) { return s.outwards; })},
          std::pair{"up", in_ring([](const Star& s) { return s.up; })}, std::pair{"height", in_ring([](const Star& s) { return s.z; })}})
      EXPECT_NEAR(mean.value, 0, 4 * mean.sigma) << what;
  }
}

TEST_F(DiscInHalo, RotatesByTheAsymmetricDriftOfJeansEquations) {
  const DiscDistribution& distribution = rotating();
  const std::vector<Star> stars = sample_of(distribution, 50000);
  for (std::size_t ring = 1; ring + 1 < std::size(rings); ++ring) {
    SCOPED_TRACE(rings[ring]);
    // <v_phi^2> = v_c^2 + sigma_R^2 (1 + d ln(density sigma_R^2) / d ln R).
    const auto wanted = [&](double R) {
      const auto log_pressure = [&](double at) {
        return std::log(distribution.surface_density(at) * std::pow(distribution.radial_dispersion(at), 2));
      };
      const double slope = (log_pressure(1.02 * R) - log_pressure(R / 1.02)) / (2 * std::log(1.02));
      return std::pow(distribution.circular_velocity(R), 2) + std::pow(distribution.radial_dispersion(R), 2) * (1 + slope);
    };
    const Mean ratio = mean_in(stars, rings[ring], rings[ring + 1], [&](const Star& s) { return s.around * s.around / wanted(s.R); });
    EXPECT_NEAR(ratio.value, 1, 0.02 + 4 * ratio.sigma);
    const Mean around = mean_in(stars, rings[ring], rings[ring + 1], [&](const Star& s) { return s.around; });
    EXPECT_GT(around.value, 0);
  }
}

TEST_F(DiscInHalo, HasToomresQWhereItIsGiven) {
  const DiscDistribution& distribution = rotating();
  EXPECT_NEAR(distribution.toomre_q(2), 1.5, 1e-3);
  // Q = sigma_R kappa / (3.36 G Sigma), with the frequency by finite differences.
  const auto v2 = [&](double R) { return std::pow(distribution.circular_velocity(R), 2); };
  const double kappa2 = 2 * v2(2) / 4 + (v2(2.05) - v2(1.95)) / 0.1 / 2;
  EXPECT_NEAR(distribution.epicyclic_frequency(2) / std::sqrt(kappa2), 1, 1e-3);
  EXPECT_NEAR(distribution.radial_dispersion(2) * std::sqrt(kappa2) / (3.36 * std::exp(-2) / (2 * pi)), 1.5, 3e-3);
}

TEST_F(DiscInHalo, StandsAroundABlackHoleOfAnySoftening) {
  for (const auto& [mass, softening] : {std::pair{1e-3, 1e-3}, std::pair{0.1, 1e-9}}) {
    SCOPED_TRACE(mass);
    PlanePotential with_hole = plane();
    add_point(mass, softening, 1, with_hole);
    const DiscDistribution distribution(disc(0, "sech2"), with_hole, 1);
    ASSERT_FALSE(distribution.unstable_at());
    EXPECT_LT(distribution.misfit(), 3e-4);
    const std::vector<Star> stars = sample_of(distribution, 5000);
    for (const Star& star : stars) ASSERT_TRUE(std::isfinite(star.outwards + star.around + star.up + star.z));
    const Mean height = mean_in(stars, 0.2, 4, [](const Star& s) { return std::abs(s.z) / (0.15 * std::log(2)); });
    EXPECT_NEAR(height.value, 1, 0.02 + 4 * height.sigma);
    const Mean radial2 =
        mean_in(stars, 0.2, 4, [&](const Star& s) { return std::pow(s.outwards / distribution.radial_dispersion(s.R), 2); });
    EXPECT_NEAR(radial2.value, 1, 0.03 + 4 * radial2.sigma);
  }
}

TEST_F(DiscInHalo, HasNoDistributionWhereNoCircularOrbitIsStable) {
  PlanePotential pushed = plane();
  add_point(-2, 0, 1, pushed);
  const DiscDistribution distribution(disc(0, "sech2"), pushed, 1);
  ASSERT_TRUE(distribution.unstable_at());
  EXPECT_NEAR(*distribution.unstable_at(), 0.005, 1e-4);
}

TEST_F(DiscInHalo, CounterRotatesByThePartAskedFor) {
  for (const double part : {0.5, 0.2}) {
    const std::vector<Star> stars = sample_of(DiscDistribution(disc(part, "exponential"), plane(), 1), 20000);
    const Mean against = mean_in(stars, 0, 100, [](const Star& s) { return s.around < 0 ? 1.0 : 0.0; });
    EXPECT_NEAR(against.value, part, 4 * against.sigma);
    const Mean net = mean_in(stars, 0, 100, [](const Star& s) { return s.around; });
    if (part == 0.5) {
      EXPECT_NEAR(net.value, 0, 4 * net.sigma);
    }
    const Mean height = mean_in(stars, 0.2, 4, [](const Star& s) { return std::abs(s.z) / 0.15; });
    EXPECT_NEAR(height.value, 1, 0.02 + 4 * height.sigma) << "exponential law";
  }
}

}  // namespace
}  // namespace grove::tests
