// Two spheres on a two-body orbit. The orbit is that of point masses (e.g. Binney & Tremaine 2008, section 3.1); once the spheres overlap,
// they fall behind it.
#include "src/generators/merger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/generators/spheres.hpp"

namespace grove {
namespace {

std::optional<Complaint> check(const InitialConditions& conditions) {
  const double pericentre = conditions.number("pericentre"), eccentricity = conditions.number("eccentricity");
  const double separation = conditions.number("separation");
  if (conditions.n < 2) return Complaint{"n", "at least 2 for a merger"};
  if (pericentre == 0 && eccentricity != 1) return Complaint{"pericentre", "> 0 unless eccentricity = 1, a fall from rest at infinity"};
  if (separation < pericentre) return Complaint{"separation", fmt::format(">= pericentre = {}", pericentre)};
  if (eccentricity < 1) {
    const double apocentre = pericentre * (1 + eccentricity) / (1 - eccentricity);
    // A circle's separation is its pericentre up to rounding.
    if (separation > apocentre * (1 + 1e-12))
      return Complaint{"separation",
                       fmt::format("<= {}, the apocentre of pericentre = {} and eccentricity = {}", apocentre, pericentre, eccentricity)};
  }
  return std::nullopt;
}

Sphere galaxy(const InitialConditions& conditions, double mass, double scale_radius, double G) {
  const SphereParameters parameters{mass, scale_radius, conditions.number("cutoff"), G};
  return conditions.text("model") == "hernquist" ? hernquist_sphere(parameters) : plummer_sphere(parameters);
}

Model prepare(const InitialConditions& conditions, double G) {
  const MergerOrbit orbit = merger_orbit(conditions, G);
  const double scale = conditions.number("scale_radius");
  const Sphere first = galaxy(conditions, orbit.mass[0], scale, G);
  const Sphere second = galaxy(conditions, orbit.mass[1], scale * conditions.number("size_ratio"), G);
  const std::uint64_t first_count = first_galaxy_count(conditions);
  const double particle_mass[2] = {orbit.mass[0] / static_cast<double>(first_count),
                                   orbit.mass[1] / static_cast<double>(conditions.n - first_count)};
  return [=, seed = conditions.seed](std::uint64_t id) {
    RandomStream random(seed, id);
    const int which = id < first_count ? 0 : 1;
    ModelParticle particle;
    particle.mass = particle_mass[which];
    particle.type = static_cast<std::uint8_t>(which + 1);
    (which == 0 ? first : second)(random, particle);
    for (int d = 0; d < 3; ++d) {
      particle.position[d] += orbit.position[which][d];
      particle.velocity[d] += orbit.velocity[which][d];
    }
    return particle;
  };
}

}  // namespace

MergerOrbit merger_orbit(const InitialConditions& conditions, double G) {
  const double pericentre = conditions.number("pericentre"), eccentricity = conditions.number("eccentricity");
  const double separation = conditions.number("separation");
  MergerOrbit orbit{};
  orbit.mass[0] = conditions.number("mass");
  orbit.mass[1] = orbit.mass[0] * conditions.number("mass_ratio");
  const double total = orbit.mass[0] + orbit.mass[1];
  const double twice_energy = eccentricity == 1 ? 0.0 : G * total * (eccentricity - 1) / pericentre;
  const double across = std::sqrt(G * total * pericentre * (1 + eccentricity)) / separation;
  const double speed2 = twice_energy + 2 * G * total / separation;
  const double inwards = std::sqrt(std::max(0.0, speed2 - across * across));
  const double share[2] = {-orbit.mass[1] / total, orbit.mass[0] / total};
  for (int which = 0; which < 2; ++which) {
    orbit.position[which][0] = share[which] * separation;
    orbit.velocity[which][0] = -share[which] * inwards;
    orbit.velocity[which][1] = share[which] * across;
  }
  return orbit;
}

std::uint64_t first_galaxy_count(const InitialConditions& conditions) {
  return first_part_count(conditions.n, 1.0 / (1.0 + conditions.number("mass_ratio")));
}

Generator merger() {
  return {"merger",
          "two spheres in equilibrium that approach each other on a two-body orbit",
          "Binney & Tremaine 2008, section 3.1",
          {{"model", std::string("plummer"), any_number, "kind of both spheres", {"plummer", "hernquist"}},
           {"mass", 1.0, positive, "mass of the first galaxy"},
           {"scale_radius", 1.0, positive, "scale radius of the first galaxy"},
           {"cutoff", 10.0, {0.1, 1e4}, "radius of the outermost particle of each galaxy, in its scale radii"},
           {"mass_ratio", 1.0, {1e-6, 1.0}, "mass of the second galaxy over that of the first; n is divided in the same ratio"},
           {"size_ratio", 1.0, positive, "scale radius of the second galaxy over that of the first"},
           {"pericentre", 1.0, not_negative, "smallest distance of the centres, were they points"},
           {"eccentricity", 1.0, {0.0, 10.0}, "of the orbit; 1 is parabolic"},
           {"separation", 10.0, positive, "distance of the centres at the start; they approach each other"}},
          check,
          prepare};
}

}  // namespace grove
