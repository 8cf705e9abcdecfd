#include "src/galaxies/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/interpolators/makima.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "src/galaxies/radial_grid.hpp"

namespace grove {
namespace {

using Profile = std::function<double(double)>;

/// First radius of a core whose density is an integral, which has more rounding.
constexpr double integrated_core = 3e-2;

Profile two_power(double alpha, double beta, double gamma) {
  return [=](double s) { return std::pow(s, -gamma) * std::pow(1 + std::pow(s, alpha), (gamma - beta) / alpha); };
}

/// Density in units of its central one as a function of the depth of the potential (King 1966, eq. 6).
double king_density(double w) {
  if (w <= 0) return 0;
  // The terms of the closed form cancel up to w^(5/2).
  if (w < 0.05) return 8 / (15 * std::sqrt(std::numbers::pi)) * std::pow(w, 2.5) * (1 + w * (2.0 / 7 + w * (4.0 / 63 + w * 8.0 / 693)));
  return std::exp(w) * std::erf(std::sqrt(w)) - std::sqrt(4 * w / std::numbers::pi) * (1 + 2 * w / 3);
}

/// King's sphere: Poisson's equation from the centre outwards. At the tidal radius, where the depth of the potential goes through 0, the
/// density falls within a few per cent of the radius and not at once, so that it has derivatives.
SphereDensity king(double w0) {
  using State = std::array<double, 2>;  // depth W and r^2 dW/dr, over the core radius
  constexpr double first = 1e-4, softness = 0.06, beyond = 2;
  const double central = king_density(w0);
  const auto poisson = [central](const State& w, State& derivative, double r) {
    derivative[0] = w[1] / (r * r);
    derivative[1] = -9 * r * r * king_density(w[0]) / central;
  };
  const auto stepper = boost::numeric::odeint::make_controlled<boost::numeric::odeint::runge_kutta_dopri5<State>>(1e-13, 1e-12);
  State w{w0 - 1.5 * first * first, -3 * first * first * first};
  std::vector<double> depths{w[0]};
  RadialGrid grid(first, 1e6);
  double tidal = 0, slope = 1;
  for (std::size_t k = 1; k < grid.count && (tidal == 0 || grid.radius(k) < beyond * tidal); ++k) {
    const double from = grid.radius(k - 1), to = grid.radius(k);
    boost::numeric::odeint::integrate_adaptive(stepper, poisson, w, from, to, to - from);
    depths.push_back(w[0]);
    if (tidal == 0 && w[0] < 0) {
      tidal = to;
      slope = -w[1] / to;
    }
  }
  grid.count = depths.size();
  const double softened = softness * slope;
  const auto density = [=, depth = RadialSpline(grid, depths)](double s) {
    const double x = depth(std::log(s)) / softened;
    return king_density(softened * (x > 30 ? x : std::log1p(std::exp(x)))) / central;
  };
  return {density, integrated_core, std::exp(grid.log_last())};
}

/// The density whose surface density is Sersic's profile, by Abel's integral.
double sersic_density(double s, double index, double b) {
  static thread_local boost::math::quadrature::exp_sinh<double> integrator;
  // -dI/dR at R = s cosh(x), which takes out the singularity: dR / sqrt(R^2 - s^2) = dx.
  const auto integrand = [=](double x) {
    const double R = s * std::cosh(std::min(x, 700.0)), power = b * std::pow(R, 1 / index);
    return power > 700 ? 0.0 : power / (index * R) * std::exp(-power);
  };
  return integrator.integrate(integrand, 1e-12) / std::numbers::pi;
}

double log_slope(const Profile& profile, double s) { return std::log(profile(2 * s) / profile(s)) / std::log(2.0); }

/// Where the density is nearly constant, its derivatives are lost in rounding, and nothing happens further in.
double first_radius(const Profile& density, double taper) {
  constexpr double inner = 1e-5, of_core = 3e-3, flat = 0.02, visible = 2e-5;
  if (std::abs(log_slope(density, inner)) >= flat) return inner;
  double first = of_core;
  while (first < 0.1 * taper && std::abs(density(first) / density(inner) - 1) < visible) first *= 1.1;
  return first;
}

SphereDensity tapered(const Profile& profile, double taper) {
  const Profile density = [=](double s) { return profile(s) / std::cosh(s / taper); };
  // sech falls by 1e-16 within 38 tapers.
  return {density, first_radius(density, taper), 38 * taper};
}

Profile tabulated(const std::vector<double>& at, const std::vector<double>& values) {
  std::vector<double> x(at), y(values);
  const double first = x.front(), last = x.back();
  const auto spline = std::make_shared<boost::math::interpolators::makima<std::vector<double>>>(std::move(x), std::move(y));
  return [=](double s) {
    const double u = std::log(s), inside = std::clamp(u, first, last);
    return std::exp((*spline)(inside) + (u - inside) * spline->prime(inside));
  };
}

/// Radius over scale radius and density, one pair in a line.
Profile density_of_file(const std::string& path) {
  if (std::error_code unknown; std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
    throw ConfigError(fmt::format("the density table {} is not a regular file", path));
  std::ifstream file(path);
  if (!file) throw ConfigError(fmt::format("the density table {} cannot be read", path));
  std::vector<double> radii, densities;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::replace(line.begin(), line.end(), '\r', ' ');  // ends of lines of another system
    line.resize(std::min(line.size(), line.find('#')));
    line.resize(line.find_last_not_of(" \t") + 1);
    if (line.empty()) continue;
    std::istringstream words(line);
    double radius = 0, density = 0;
    std::string more;
    const bool is_pair = static_cast<bool>(words >> radius >> density) && !(words >> more);
    if (!is_pair || !(radius > 0) || !(density > 0) || (!radii.empty() && std::log(radius) <= radii.back()))
      throw ConfigError(
          fmt::format("{}:{}: \"{}\": a density table has two numbers above 0 in each line, radius and density, with growing radii", path,
                      number, line));
    radii.push_back(std::log(radius));
    densities.push_back(std::log(density));
  }
  if (!file.eof()) throw ConfigError(fmt::format("the density table {} cannot be read beyond row {}", path, radii.size()));
  if (radii.size() < 4) throw ConfigError(fmt::format("the density table {} has {} rows: at least 4 are needed", path, radii.size()));
  return tabulated(radii, densities);
}

SphereDensity table(const std::string& path, double taper) {
  const Profile profile = density_of_file(path);
  SphereDensity density = tapered(profile, taper);
  if (const double slope = log_slope(profile, density.first); slope <= -3)
    throw ConfigError(fmt::format(
        "the density table {} grows inwards like r^{:.3g} from its first rows on: its mass is finite only where it is flatter than r^-3",
        path, slope));
  // Rows of a flat core have too few digits for derivatives.
  constexpr double flat = 0.05;
  while (density.first < 0.1 * taper && std::abs(log_slope(profile, density.first)) < flat) density.first *= 1.1;
  return density;
}

/// Sersic's density at the radii of a grid, since each costs an integral.
SphereDensity sersic(double index, double taper) {
  constexpr double steep = 1.5;  // with a smaller index the centre is nearly flat
  const double b = boost::math::gamma_p_inv(2 * index, 0.5);
  RadialGrid grid(1e-5, 38 * taper);
  std::vector<double> log_densities;
  for (std::size_t k = 0; k < grid.count; ++k) {
    const double density = sersic_density(grid.radius(k), index, b);
    if (!(density > 1e-250)) break;
    log_densities.push_back(std::log(density));
  }
  grid.count = log_densities.size();
  const RadialSpline spline(grid, log_densities);
  return {[=](double s) { return std::exp(spline(std::log(s))) / std::cosh(s / taper); }, index < steep ? integrated_core : 1e-5,
          std::exp(grid.log_last())};
}

}  // namespace

SphereDensity density_of(const ComponentParameters& sphere) {
  const std::string& kind = sphere.kind;
  if (kind == "king") return king(sphere.number("w0"));
  const double taper = sphere.number("taper");
  if (kind == "plummer") return tapered([](double s) { return std::pow(1 + s * s, -2.5); }, taper);
  if (kind == "hernquist") return tapered(two_power(1, 4, 1), taper);
  if (kind == "nfw") return tapered(two_power(1, 3, 1), taper);
  if (kind == "jaffe") return tapered(two_power(1, 4, 2), taper);
  if (kind == "dehnen") return tapered(two_power(1, 4, sphere.number("gamma")), taper);
  if (kind == "two_power") return tapered(two_power(sphere.number("alpha"), sphere.number("beta"), sphere.number("gamma")), taper);
  if (kind == "isothermal") return tapered([](double s) { return 1 / (1 + s * s); }, taper);
  if (kind == "uniform") return tapered([](double) { return 1.0; }, taper);
  if (kind == "sersic") return sersic(sphere.number("index"), taper);
  if (kind == "einasto") {
    const double alpha = sphere.number("alpha");
    return tapered([alpha](double s) { return std::exp(-2 / alpha * (std::pow(s, alpha) - 1)); }, taper);
  }
  if (kind == "table") return table(sphere.text("file"), taper);
  throw std::logic_error("no density for spheres of kind " + kind);
}

}  // namespace grove
