#include "src/galaxies/sphere_mass.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "src/galaxies/density.hpp"
#include "src/galaxies/height_law.hpp"
#include "src/galaxies/parallel_for.hpp"

namespace grove {
namespace {

/// Radii of the finest and coarsest parts of a component.
struct Extent {
  double first, last;
};

Extent extent_of(const ComponentParameters& c) {
  constexpr double scale_lengths = 30;  // of an exponential disc: all but 3e-12 of it
  if (is_disc(c.kind)) return {1e-3 * c.number("scale_length"), scale_lengths * c.number("scale_length")};
  const SphereDensity density = density_of(c);
  return {density.first * c.number("scale_radius"), density.last * c.number("scale_radius")};
}

/// Integral of a function of ln r over the shell around each radius of the grid.
template <class Function>
std::vector<double> shell_integrals(const RadialGrid& grid, const Function& per_log_radius) {
  std::vector<double> sums(grid.count);
  for (std::size_t k = 0; k < grid.count; ++k) {
    const double u = grid.log_radius(k), half = 0.5 * RadialGrid::spacing;
    sums[k] = boost::math::quadrature::gauss<double, 7>::integrate(per_log_radius, u - half, u + half);
  }
  return sums;
}

}  // namespace

double Shells::total() const { return std::accumulate(mass.begin(), mass.end(), core); }

RadialGrid grid_of(const GalaxyParameters& galaxy) {
  Extent all{1e300, 0};
  for (const ComponentParameters& c : galaxy.components) {
    if (is_point(c.kind)) continue;
    const Extent own = extent_of(c);
    all = {std::min(all.first, own.first), std::max(all.last, own.last)};
  }
  // A black hole alone has no shells.
  return all.last > 0 ? RadialGrid(all.first, all.last) : RadialGrid(1e-3, 1.0);
}

SphereMass sphere_mass(const ComponentParameters& sphere, const RadialGrid& grid, double G) {
  const SphereDensity density = density_of(sphere);
  const double a = sphere.number("scale_radius");
  const auto at = [&](double r) { return r < density.last * a ? density.at(r / a) : 0.0; };
  SphereMass made;
  made.first_radius = density.first * a;
  for (std::size_t k = 0; k < grid.count; ++k) made.density.push_back(at(grid.radius(k)));
  made.shells.mass = shell_integrals(grid, [&](double u) { return 4 * std::numbers::pi * std::exp(3 * u) * at(std::exp(u)); });
  // Further in, the density is a power of the radius.
  const double first = grid.radius(0), edge = first * std::exp(-0.5 * RadialGrid::spacing);
  const double slope = -std::log(at(first) / at(edge)) / (0.5 * RadialGrid::spacing);
  made.shells.core = 4 * std::numbers::pi * edge * edge * edge * at(edge) / (3 - slope);
  double amplitude = sphere.number("density");
  if (sphere.number("mass") > 0) amplitude = sphere.number("mass") / made.shells.total();
  if (sphere.number("circular_velocity") > 0) {
    const std::vector<double> force = force_of(made.shells, grid, 0);
    double highest = 0;
    for (std::size_t k = 0; k < grid.count; ++k) highest = std::max(highest, G * force[k] * grid.radius(k));
    amplitude = sphere.number("circular_velocity") * sphere.number("circular_velocity") / highest;
  }
  for (double& rho : made.density) rho *= amplitude;
  for (double& m : made.shells.mass) m *= amplitude;
  made.shells.core *= amplitude;
  return made;
}

Shells shells_of_disc(const ComponentParameters& disc, const RadialGrid& grid) {
  const double mass = disc.number("mass"), length = disc.number("scale_length");
  const HeightLaw law(disc);
  // Mass inside the sphere of radius r; R = r sin(t). Far out, height does not matter.
  const auto inside = [&](double r) {
    const double x = r / length;
    if (x > 12) return mass * (1 - (1 + x) * std::exp(-x));
    const auto per_angle = [&](double t) {
      const double R = r * std::sin(t), z = r * std::cos(t);
      return R * std::exp(-R / length) * law.part_within(z) * z;
    };
    return mass / (length * length) * boost::math::quadrature::gauss<double, 60>::integrate(per_angle, 0.0, 0.5 * std::numbers::pi);
  };
  Shells shells;
  double before = shells.core = inside(std::exp(grid.log_first - 0.5 * RadialGrid::spacing));
  for (std::size_t k = 0; k < grid.count; ++k) {
    const double r = std::exp(grid.log_radius(k) + 0.5 * RadialGrid::spacing);
    const double here = std::max(before, inside(r));
    shells.mass.push_back(here - before);
    before = here;
  }
  return shells;
}

double radius_with(double part, const Shells& shells, const RadialGrid& grid) {
  const double wanted = part * shells.total();
  double inside = shells.core;
  std::size_t k = 0;
  while (k + 1 < grid.count && inside + shells.mass[k] < wanted) inside += shells.mass[k++];
  return std::exp(grid.log_radius(k) + RadialGrid::spacing * ((wanted - inside) / shells.mass[k] - 0.5));
}

std::vector<double> force_of(const Shells& shells, const RadialGrid& grid, double softening) {
  std::vector<double> radius(grid.count), force(grid.count), mass(shells.mass);
  for (std::size_t k = 0; k < grid.count; ++k) radius[k] = grid.radius(k);
  // The core as shells, too, since a point is softened otherwise: its mass is a power of the radius. The rest is a point.
  double rest = shells.core;
  if (rest > 0 && mass[0] > 0) {
    constexpr int further_in = 250;
    const double part = mass[0] / (rest + mass[0]);
    for (int j = 1; j <= further_in; ++j) {
      radius.push_back(std::exp(grid.log_first - RadialGrid::spacing * j));
      mass.push_back(rest * part);
      rest -= mass.back();
    }
  }
  const double softening2 = softening * softening;
  const std::vector<double> of_core = force_of_point(grid, softening);
  parallel_for(grid.count, 8, [&](std::size_t k) {
    double sum = rest * of_core[k];
    for (std::size_t j = 0; j < radius.size(); ++j) {
      // The potential of a shell is 2 / (far + near) with the softened distances to its farthest and nearest points.
      const double plus = radius[k] + radius[j], minus = radius[k] - radius[j];
      const double far = std::sqrt(plus * plus + softening2), near = std::sqrt(minus * minus + softening2);
      const double slope = plus / far + (near > 0 ? minus / near : 0);
      sum += mass[j] * 2 * slope / ((far + near) * (far + near));
    }
    force[k] = sum;
  });
  return force;
}

std::vector<double> force_of_point(const RadialGrid& grid, double softening) {
  std::vector<double> force(grid.count);
  for (std::size_t k = 0; k < grid.count; ++k) {
    const double r = grid.radius(k);
    force[k] = r / std::pow(r * r + softening * softening, 1.5);
  }
  return force;
}

}  // namespace grove
