#include "src/galaxies/galaxy_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/base/error.hpp"

namespace grove {
namespace {

/// What is known of a component before its velocities.
struct Mass {
  double total = 0;
  SphereMass sphere;  ///< of a disc the shells alone
};

Mass mass_of(const ComponentParameters& c, const RadialGrid& grid, double G) {
  Mass mass;
  mass.total = c.number("mass");
  if (is_point(c.kind)) return mass;
  if (is_disc(c.kind)) {
    mass.sphere.shells = shells_of_disc(c, grid);
    return mass;
  }
  mass.sphere = sphere_mass(c, grid, G);
  mass.total = mass.sphere.shells.total();
  return mass;
}

std::vector<Mass> masses_of(const GalaxyParameters& galaxy, const RadialGrid& grid, double G) {
  std::vector<Mass> masses;
  for (const ComponentParameters& c : galaxy.components) masses.push_back(mass_of(c, grid, G));
  return masses;
}

/// Numbers of particles that add up to `n`: those of points, of parts that are given, and the rest by weight.
std::vector<std::uint64_t> counts_of(const GalaxyParameters& galaxy, const std::vector<Mass>& masses, std::uint64_t n) {
  std::vector<std::uint64_t> counts(galaxy.components.size(), 0);
  std::vector<double> weights(counts.size(), 0);
  double given = 0, all = 0;
  std::uint64_t points = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const ComponentParameters& c = galaxy.components[i];
    if (is_point(c.kind)) {
      counts[i] = 1;
      ++points;
    } else if (c.number("particles") > 0) {
      given += c.number("particles");
    } else {
      all += weights[i] = masses[i].total * particles_for_mass(c);
    }
  }
  if (given > 1 + 1e-12 || (all > 0 && given >= 1))
    throw ConfigError(fmt::format(
        "galaxy {}: the parts \"particles\" of its components add up to {:.6g}: they must leave some for the others", galaxy.name, given));
  if (n < counts.size())
    throw ConfigError(
        fmt::format("galaxy {}: {} particles, its part of n by mass, are too few for its {} components", galaxy.name, n, counts.size()));
  const double left = static_cast<double>(n - points);
  std::uint64_t used = points;
  std::size_t largest = counts.size();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) continue;
    const double part = weights[i] > 0 ? (1 - given) * weights[i] / all : galaxy.components[i].number("particles") / (all > 0 ? 1 : given);
    counts[i] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(part * left)));
    used += counts[i];
    if (largest == counts.size() || counts[i] > counts[largest]) largest = i;
  }
  // Rounding, and the particle that each has at least.
  for (; used > n; --used) --*std::max_element(counts.begin(), counts.end());
  if (largest < counts.size()) counts[largest] += n - used;
  return counts;
}

std::vector<ComponentPlan> plans_of(const GalaxyParameters& galaxy, const std::vector<Mass>& masses, const RadialGrid& grid,
                                    std::uint64_t n) {
  const std::vector<std::uint64_t> counts = counts_of(galaxy, masses, n);
  std::vector<ComponentPlan> plans;
  double smallest = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const ComponentParameters& c = galaxy.components[i];
    ComponentPlan plan{c.name, counts[i], masses[i].total, 0, c.number("softening")};
    if (!is_point(c.kind)) {
      plan.half_mass_radius = radius_with(0.5, masses[i].sphere.shells, grid);
      // Half of the particles share the ball of that radius.
      const double distance = plan.half_mass_radius * std::cbrt(8 * std::numbers::pi / 3 / static_cast<double>(plan.count));
      if (plan.softening == 0) plan.softening = 0.25 * distance;
      smallest = smallest > 0 ? std::min(smallest, plan.softening) : plan.softening;
    }
    plans.push_back(plan);
  }
  for (ComponentPlan& plan : plans)
    if (plan.softening == 0) plan.softening = smallest;
  return plans;
}

/// The field that a sphere moves in: the mean over angles.
SphericalPotential potential_of(const GalaxyParameters& galaxy, const std::vector<Mass>& masses, const std::vector<ComponentPlan>& plans,
                                const RadialGrid& grid, double G, std::size_t target) {
  std::vector<double> force(grid.count, 0);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const double softening = std::max(plans[i].softening, plans[target].softening);
    const bool is_one = is_point(galaxy.components[i].kind);
    const std::vector<double> own = is_one ? force_of_point(grid, softening) : force_of(masses[i].sphere.shells, grid, softening);
    for (std::size_t k = 0; k < grid.count; ++k) force[k] += G * (is_one ? plans[i].mass : 1) * own[k];
  }
  return SphericalPotential(grid, force);
}

void add_component(const ComponentParameters& c, const Mass& mass, double softening, const RadialGrid& grid, double G,
                   PlanePotential& plane) {
  if (is_point(c.kind))
    add_point(mass.total, softening, G, plane);
  else if (is_disc(c.kind))
    add_disc(c, softening, G, plane);
  else
    add_sphere(mass.sphere.shells, grid, softening, G, plane);
}

PlanePotential plane_potential_of(const GalaxyParameters& galaxy, const std::vector<Mass>& masses, const std::vector<double>& softening,
                                  const RadialGrid& grid, double G, PlanePotential plane) {
  for (std::size_t i = 0; i < masses.size(); ++i) add_component(galaxy.components[i], masses[i], softening[i], grid, G, plane);
  return plane;
}

}  // namespace

bool is_halo(const ComponentParameters& component) {
  const std::uint64_t type = component.whole("type");
  return type == 1 || (type == 0 && component.name == "halo");
}

double particles_for_mass(const ComponentParameters& component) { return is_halo(component) ? 1 : halo_particle_mass; }

std::vector<ComponentPlan> plan_of(const GalaxyParameters& galaxy, std::uint64_t n, double G) {
  const RadialGrid grid = grid_of(galaxy);
  return plans_of(galaxy, masses_of(galaxy, grid, G), grid, n);
}

std::vector<GalaxyComponent> galaxy_components(const GalaxyParameters& galaxy, std::uint64_t n, double G) {
  const RadialGrid grid = grid_of(galaxy);
  const std::vector<Mass> masses = masses_of(galaxy, grid, G);
  const std::vector<ComponentPlan> plans = plans_of(galaxy, masses, grid, n);
  std::vector<GalaxyComponent> components;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const ComponentParameters& c = galaxy.components[i];
    GalaxyComponent made{plans[i], nullptr, nullptr};
    if (is_disc(c.kind)) {
      std::vector<double> softening;
      for (const ComponentPlan& plan : plans) softening.push_back(std::max(plan.softening, plans[i].softening));
      made.disc = std::make_shared<const DiscDistribution>(c, plane_potential_of(galaxy, masses, softening, grid, G, plane_of(c)), G);
      if (const auto radius = made.disc->unstable_at())
        throw ConfigError(fmt::format(
            "galaxy {}: component {}: no equilibrium: at the radius {:.4g}, in code units, no circular orbit is stable. A heavier halo, or "
            "smaller softening lengths than {:.4g}, may hold it",
            galaxy.name, c.name, *radius, *std::max_element(softening.begin(), softening.end())));
    } else if (!is_point(c.kind)) {
      const Anisotropy anisotropy{c.number("anisotropy"), c.number("anisotropy_radius")};
      const SphericalPotential potential = potential_of(galaxy, masses, plans, grid, G, i);
      made.sphere = std::make_shared<const SphereDistribution>(masses[i].sphere, potential, anisotropy);
      if (!made.sphere->is_finite())
        throw ConfigError(fmt::format(
            "galaxy {}: component {}: its distribution function is not a number: masses, lengths or densities of the galaxy are "
            "too large, too small or too different",
            galaxy.name, c.name));
      if (const auto energy = made.sphere->negative_at())
        throw ConfigError(fmt::format(
            "galaxy {}: component {}: no equilibrium: its distribution function is negative at the energy {:.4g} of the {:.4g} in the "
            "centre, in code units. A steeper centre, less radial orbits or another size may have one",
            galaxy.name, c.name, -*energy, -potential.depth()));
    }
    components.push_back(std::move(made));
  }
  return components;
}

RotationCurve rotation_curve(const GalaxyParameters& galaxy, std::uint64_t n, double G) {
  constexpr double outermost = 25;  // scale lengths
  const RadialGrid grid = grid_of(galaxy);
  const std::vector<Mass> masses = masses_of(galaxy, grid, G);
  const std::vector<ComponentPlan> plans = plans_of(galaxy, masses, grid, n);
  PlaneGrid radii{0, 0.03, 0};
  for (const ComponentParameters& c : galaxy.components)
    if (is_disc(c.kind)) radii.scale = std::max(radii.scale, c.number("scale_length"));
  for (const ComponentPlan& plan : plans)
    if (radii.scale == 0) radii.scale = plan.half_mass_radius > 0 ? plan.half_mass_radius : plan.softening;
  if (radii.scale == 0) radii.scale = 1;  // points alone
  radii.count = static_cast<std::size_t>(std::asinh(outermost) / radii.spacing) + 1;
  RotationCurve curve;
  for (std::size_t k = 0; k < radii.count; ++k) curve.radius.push_back(radii.radius(k));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    PlanePotential plane(radii, {0}, {1});
    add_component(galaxy.components[i], masses[i], plans[i].softening, grid, G, plane);
    curve.squared.push_back(std::move(plane.circular_velocity2));
  }
  return curve;
}

double RotationCurve::total_at(double R) const {
  const auto next = std::clamp(std::lower_bound(radius.begin(), radius.end(), R), radius.begin() + 1, radius.end() - 1);
  const auto k = static_cast<std::size_t>(next - radius.begin());
  // In proportion to the radius further in than the first.
  const double weight = std::clamp((R - radius[k - 1]) / (radius[k] - radius[k - 1]), 0.0, 1.0);
  double v2 = 0;
  for (const std::vector<double>& of : squared) v2 += (1 - weight) * of[k - 1] + weight * of[k];
  return std::sqrt(std::max(v2, 0.0)) * std::min(R / radius[0], 1.0);
}

void GalaxyComponent::draw(RandomStream& random, double (&position)[3], double (&velocity)[3]) const {
  if (!sphere && !disc) {
    std::fill_n(position, 3, 0.0);
    std::fill_n(velocity, 3, 0.0);
  } else if (!(sphere ? sphere->draw(random, position, velocity) : disc->draw(random, position, velocity))) {
    throw ConfigError(
        fmt::format("component {}: no velocity is found for a particle at the distance {:.4g} from the centre, in code units: "
                    "its distribution function cannot be drawn from there. Another size or softening may help",
                    plan.name, std::hypot(position[0], position[1], position[2])));
  }
}

}  // namespace grove
