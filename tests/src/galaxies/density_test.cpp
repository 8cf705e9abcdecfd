// Densities and masses of spheres against formulas, quadratures and tables of the literature.
#include "src/galaxies/density.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "src/galaxies/sphere_mass.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

constexpr double pi = std::numbers::pi;

/// How the formula of a kind reads, and the mass inside a radius where it is known in closed form; s = r / scale_radius.
struct Sphere {
  std::string kind;
  SettingValues values;
  std::function<double(double)> density, mass_inside;
};

std::vector<Sphere> spheres() {
  const auto two_power = [](double s) { return std::pow(s, -0.5) * std::pow(1 + s * s, -1.5); };
  const auto dehnen = [](double gamma) {
    return Sphere{"dehnen",
                  {{"gamma", gamma}},
                  [=](double s) { return std::pow(s, -gamma) * std::pow(1 + s, gamma - 4); },
                  [=](double s) { return 4 * pi / (3 - gamma) * std::pow(s / (1 + s), 3 - gamma); }};
  };
  return {
      {"plummer",
       {},
       [](double s) { return std::pow(1 + s * s, -2.5); },
       [](double s) { return 4 * pi / 3 * std::pow(s, 3) * std::pow(1 + s * s, -1.5); }},
      {"hernquist", {}, [](double s) { return 1 / (s * std::pow(1 + s, 3)); }, [](double s) { return 2 * pi * std::pow(s / (1 + s), 2); }},
      // ln(1 + s) - s / (1 + s), whose terms cancel near the centre.
      {"nfw",
       {},
       [](double s) { return 1 / (s * std::pow(1 + s, 2)); },
       [](double s) { return s < 1e-3 ? 2 * pi * s * s * (1 - 4 * s / 3) : 4 * pi * (std::log1p(s) - s / (1 + s)); }},
      {"jaffe", {}, [](double s) { return 1 / std::pow(s * (1 + s), 2); }, [](double s) { return 4 * pi * s / (1 + s); }},
      dehnen(0),
      dehnen(1.5),
      dehnen(2.5),
      {"two_power", {{"alpha", 2.0}, {"beta", 3.5}, {"gamma", 0.5}}, two_power, nullptr},
      {"einasto", {{"alpha", 0.2}}, [](double s) { return std::exp(-10 * (std::pow(s, 0.2) - 1)); }, nullptr},
      {"isothermal", {}, [](double s) { return 1 / (1 + s * s); }, [](double s) { return 4 * pi * (s - std::atan(s)); }},
      {"uniform", {}, [](double) { return 1.0; }, [](double s) { return 4 * pi / 3 * std::pow(s, 3); }}};
}

ComponentParameters component(const std::string& kind, SettingValues values) { return {"stars", kind, std::move(values)}; }

double integral(const std::function<double(double)>& function, double from, double to) {
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(function, from, to, 12, 1e-10);
}

TEST(Density, IsTheFormulaOfItsKindTimesTheTaper) {
  for (const Sphere& sphere : spheres())
    for (const double taper : {1.0, 7.0}) {
      SCOPED_TRACE(sphere.kind);
      SettingValues values = sphere.values;
      values["taper"] = taper;
      const SphereDensity density = density_of(component(sphere.kind, values));
      for (const double s : {1e-4, 0.01, 0.3, 1.0, 4.0, 30.0})
        EXPECT_NEAR(density.at(s) / (sphere.density(s) / std::cosh(s / taper)), 1, 1e-12) << s;
      EXPECT_LT(1 / std::cosh(density.last / taper), 1e-16) << "mass beyond the last radius";
    }
}

TEST(Density, EveryKindOfSphereIsFiniteAndFallsOutwards) {
  for (const ComponentKind& kind : component_kinds()) {
    if (is_disc(kind.name) || is_point(kind.name) || kind.name == "table") continue;
    SCOPED_TRACE(kind.name);
    const SphereDensity density = density_of(component(kind.name, {}));
    for (double s = density.first; s < 0.5 * density.last; s *= 1.3) EXPECT_LE(density.at(1.3 * s), density.at(s)) << s;
    EXPECT_GT(density.at(density.first), 0);
  }
}

TEST(SphereMass, MassInsideEachRadiusIsTheClosedForm) {
  constexpr double taper = 1e4, amplitude = 3, a = 2;
  for (const Sphere& sphere : spheres()) {
    if (!sphere.mass_inside) continue;
    SettingValues values = sphere.values;
    values.insert({{"taper", taper}, {"density", amplitude}, {"scale_radius", a}});
    const GalaxyParameters galaxy{"galaxy", {component(sphere.kind, values)}, {}};
    const RadialGrid grid = grid_of(galaxy);
    const SphereMass made = sphere_mass(galaxy.components[0], grid, 1);
    double inside = made.shells.core;
    for (std::size_t k = 0; k < grid.count; ++k) {
      inside += made.shells.mass[k];
      const double s = std::exp(grid.log_radius(k) + 0.5 * RadialGrid::spacing) / a;
      if (s > 30) break;
      // The taper takes (s / taper)^2 / 2 at most. Below the first radius the density is a power of the radius, which is a little off.
      ASSERT_NEAR(inside / (amplitude * a * a * a * sphere.mass_inside(s)), 1, s < 0.02 ? 2e-3 : 1e-5) << sphere.kind << " at s = " << s;
    }
  }
}

TEST(SphereMass, MassDensityAndCircularVelocitySayTheSame) {
  constexpr double G = 3, a = 2;
  const auto made_with = [&](const char* key, double value) {
    const GalaxyParameters galaxy{"galaxy", {component("nfw", {{"scale_radius", a}, {"taper", 1e4}, {key, value}})}, {}};
    return sphere_mass(galaxy.components[0], grid_of(galaxy), G);
  };
  EXPECT_NEAR(made_with("mass", 7).shells.total(), 7, 1e-12);
  // The highest circular velocity of the profile is at 2.1626 scale radii: v^2 = 4 pi G rho a^2 * 0.216217.
  const SphereMass fast = made_with("circular_velocity", 5);
  const double amplitude = 25 / (4 * pi * G * a * a * 0.216217);
  const SphereMass dense = made_with("density", amplitude);
  ASSERT_EQ(fast.density.size(), dense.density.size());
  for (std::size_t k = 0; k < fast.density.size(); k += 50) EXPECT_NEAR(fast.density[k] / dense.density[k], 1, 1e-4);
  EXPECT_NEAR(fast.shells.total() / dense.shells.total(), 1, 1e-4);
}

TEST(SphereMass, HalfMassRadiusOfPlummersSphere) {
  const GalaxyParameters galaxy{"galaxy", {component("plummer", {{"mass", 1.0}, {"scale_radius", 3.0}, {"taper", 1e4}})}, {}};
  const RadialGrid grid = grid_of(galaxy);
  EXPECT_NEAR(radius_with(0.5, sphere_mass(galaxy.components[0], grid, 1).shells, grid), 3 / std::sqrt(std::cbrt(4.0) - 1), 1e-3);
}

TEST(Force, OfAShellIsThatOfItsSoftenedPoints) {
  // One shell of softened points of mass 1, by quadrature over the angle.
  const RadialGrid grid(1e-3, 10);
  Shells shells;
  shells.mass.assign(grid.count, 0);
  const std::size_t shell = grid.count / 2;
  shells.mass[shell] = 1;
  const double b = grid.radius(shell), softening = 0.05;
  const std::vector<double> force = force_of(shells, grid, softening), sharp = force_of(shells, grid, 0);
  for (std::size_t k = 0; k < grid.count; k += 40) {
    const double r = grid.radius(k);
    const auto pull = [&](double cosine) {
      const double along = r - b * cosine, d2 = r * r + b * b - 2 * r * b * cosine + softening * softening;
      return 0.5 * along / std::pow(d2, 1.5);
    };
    EXPECT_NEAR(force[k], integral(pull, -1, 1), 1e-6 * (1 + 1 / (r * r))) << r;
    if (k != shell) {
      EXPECT_NEAR(sharp[k], r < b ? 0 : 1 / (r * r), 1e-9 * (1 + 1 / (b * b))) << r;
    }
  }
}

TEST(Sersic, ProjectsToItsSurfaceDensityWithHalfOfTheMassInsideTheScaleRadius) {
  for (const double index : {1.0, 2.2, 4.0}) {
    SCOPED_TRACE(index);
    const SphereDensity density = density_of(component("sersic", {{"index", index}, {"taper", 1e4}}));
    const double b = boost::math::gamma_p_inv(2 * index, 0.5);
    for (const double R : {0.1, 1.0, 3.0}) {
      // Along the line of sight, z = R sinh(x).
      const auto along = [&](double x) { return 2 * R * std::cosh(x) * density.at(R * std::cosh(x)); };
      EXPECT_NEAR(integral(along, 0, std::log(2000 / R)) / std::exp(-b * std::pow(R, 1 / index)), 1, 1e-4) << R;
    }
    const auto shell = [&](double u) { return 4 * pi * std::exp(3 * u) * density.at(std::exp(u)); };
    const auto in_front = [&](double u) { return shell(u) * (1 - std::sqrt(1 - std::exp(-2 * u))); };
    const double inside = integral(shell, std::log(1e-5), 0), end = std::log(3000.0), outside = integral(shell, 0, end);
    EXPECT_NEAR((inside + integral(in_front, 0, end)) / (inside + outside), 0.5, 1e-3);
  }
}

/// Density over the central one as a function of the depth: exp(W) times an incomplete gamma function.
double king_density_at(double depth, double w0) {
  const auto rho = [](double w) { return w > 0 ? std::exp(w) * boost::math::gamma_p(2.5, w) : 0.0; };
  return rho(depth) / rho(w0);
}

/// Radii and densities of King's sphere up to its tidal radius, with Runge and Kutta's steps of ln r.
struct King {
  std::vector<double> radius, density;

  explicit King(double w0) {
    constexpr double step = 0.002;
    double u = std::log(1e-3), w = w0 - 1.5e-6, flux = -3e-9;  // flux: r^2 dW/dr
    const auto slopes = [&](double at, double depth, double of_flux) {
      return std::pair{of_flux / std::exp(at), -9 * std::exp(3 * at) * king_density_at(depth, w0)};
    };
    while (w > 0) {
      radius.push_back(std::exp(u));
      density.push_back(king_density_at(w, w0));
      const auto [w1, f1] = slopes(u, w, flux);
      const auto [w2, f2] = slopes(u + step / 2, w + w1 * step / 2, flux + f1 * step / 2);
      const auto [w3, f3] = slopes(u + step / 2, w + w2 * step / 2, flux + f2 * step / 2);
      const auto [w4, f4] = slopes(u + step, w + w3 * step, flux + f3 * step);
      w += (w1 + 2 * w2 + 2 * w3 + w4) * step / 6;
      flux += (f1 + 2 * f2 + 2 * f3 + f4) * step / 6;
      u += step;
    }
  }
};

TEST(King, EndsAtTheTidalRadiusOfKingsTable) {
  const std::vector<std::pair<double, double>> table{{3, 0.672}, {5, 1.03}, {7, 1.53}, {9, 2.12}};
  for (const auto& [w0, concentration] : table) {
    SCOPED_TRACE(w0);
    const King king(w0);
    const double tidal = king.radius.back();
    EXPECT_NEAR(std::log10(tidal), concentration, 0.006);
    const SphereDensity density = density_of(component("king", {{"w0", w0}}));
    for (std::size_t k = 0; king.radius[k] < 0.7 * tidal; k += 100)
      EXPECT_NEAR(density.at(king.radius[k]) / king.density[k], 1, 0.02) << "r = " << king.radius[k];
    EXPECT_LT(density.at(1.2 * tidal), 0.01 * density.at(0.8 * tidal));
    EXPECT_LT(density.at(1.4 * tidal), 1e-4 * density.at(0.8 * tidal));
  }
}

class DensityTable : public testing::Test {
 protected:
  ComponentParameters table(const std::string& text) {
    std::ofstream(path()) << text;
    return component("table", {{"file", path()}, {"taper", 1e4}});
  }
  std::string path() const { return directory_.file("density.txt"); }

  void expect_refused(const std::string& text, const std::vector<std::string>& named) {
    try {
      density_of(table(text));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const ConfigError& error) {
      for (const std::string& word : named) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(DensityTable, GivesThePlummerSphereThatWasWritten) {
  std::string text = "# s rho\n\n";
  const auto plummer = [](double s) { return 5 * std::pow(1 + s * s, -2.5); };
  for (int k = 0; k <= 200; ++k) {
    const double s = std::pow(10.0, -3 + 0.025 * k);
    text += std::to_string(s) + " " + std::to_string(plummer(s) * 1e10) + "e-10  # row\n";
  }
  const SphereDensity density = density_of(table(text));
  for (const double s : {2e-4, 2.5e-3, 0.01, 0.33, 1.0, 4.0, 50.0})
    EXPECT_NEAR(density.at(s) * std::cosh(s / 1e4) / plummer(s), 1, 1e-3) << s;
}

TEST_F(DensityTable, IsRefusedWithTheLineWhereItIsWrong) {
  const std::string good = "# s rho\n0.1 9\n1 5\n", line_4 = path() + ":4:";
  expect_refused(good + "2 3 4\n3 1\n", {line_4, "\"2 3 4\"", "two numbers"});
  expect_refused(good + "2\n3 1\n", {line_4, "\"2\""});
  expect_refused(good + "0.9 3\n3 1\n", {line_4, "growing radii"});
  expect_refused(good + "1 3\n3 1\n", {line_4, "growing radii"});
  expect_refused(good + "2 -3\n3 1\n", {line_4, "above 0"});
  expect_refused(good + "-2 3\n3 1\n", {line_4, "above 0"});
  expect_refused(good + "2 0\n3 1\n", {line_4, "above 0"});
  expect_refused(good + "2 x\n3 1\n", {line_4, "\"2 x\""});
  expect_refused(good + "2 nan\n3 1\n", {line_4});
  expect_refused(good + "2 inf\n3 1\n", {line_4});
  expect_refused(good + "2 1\n", {path(), "3 rows", "at least 4"});
  expect_refused("", {path(), "0 rows"});
  expect_refused("1 1e-4\n10 1e-8\n100 1e-12\n1000 1e-16\n", {path(), "r^-4", "flatter than r^-3"});
}

TEST_F(DensityTable, HasLinesThatEndInCarriageReturnsWhichNoMessageShows) {
  const std::string good = "# s rho\r\n0.1 9\r\n1 5\r\n\r\n2 3\r\n";
  EXPECT_NEAR(density_of(table(good + "3 1\r\n")).at(1), 5, 1e-6);
  try {
    density_of(table(good + "3 x\r\n"));
    ADD_FAILURE() << "accepted";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(":6: \"3 x\": "), std::string::npos) << message;
    EXPECT_EQ(message.find('\r'), std::string::npos);
  }
}

TEST_F(DensityTable, IsRefusedWhereTheFileIsMissing) {
  try {
    density_of(component("table", {{"file", path()}}));
    ADD_FAILURE() << "there is no such file";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(path()), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace grove
