#include "src/generators/galaxy_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "kernels/base/text_table.hpp"

namespace grove {
namespace {

using Galaxies = std::vector<GalaxyParameters>;

/// A component's own name, with that of its galaxy where there are more.
std::string told_name(const Galaxies& galaxies, const GalaxyPart& part) {
  const std::string& name = component_of(galaxies, part).name;
  return galaxies.size() > 1 ? name + " " + galaxies[part.galaxy].name : name;
}

double mass_of_particle(const ComponentPlan& plan) { return plan.mass / static_cast<double>(plan.count); }

/// How many circular orbits at the radius `R` it takes the particles of a halo, of mass `m` and softening `softening`, to double the
/// squared vertical dispersion of a disc: the diffusion of Binney & Tremaine 2008, eq. 7.92, for stars at the circular velocity, sqrt(2)
/// times the halo's dispersion.
double rotations_to_double(const DiscDistribution& disc, double R, double halo_density, double m, double softening, double G) {
  constexpr double chandrasekhar = 0.63;
  const double v = disc.circular_velocity(R), sigma = v / std::numbers::sqrt2, vertical = disc.vertical_dispersion(R);
  const double coulomb_logarithm = std::log(std::max(R / softening, std::numbers::e));
  const double growth = 2 * std::numbers::sqrt2 * std::numbers::pi * G * G * halo_density * m * coulomb_logarithm * chandrasekhar / sigma;
  return vertical * vertical / growth / (2 * std::numbers::pi * R / v);
}

/// On a black hole among particles of its galaxy that are too heavy for it: the heaviest ones.
std::optional<std::string> note_on_hole(const Galaxies& galaxies, const std::vector<GalaxyPart>& parts, const GalaxyPart& hole) {
  constexpr double light = 10;
  const GalaxyPart* heaviest = nullptr;
  for (const GalaxyPart& part : parts) {
    if (part.galaxy != hole.galaxy || is_point(component_of(galaxies, part).kind)) continue;
    if (!heaviest || mass_of_particle(part.plan) > mass_of_particle(heaviest->plan)) heaviest = &part;
  }
  if (!heaviest || mass_of_particle(hole.plan) >= light * mass_of_particle(heaviest->plan)) return std::nullopt;
  return fmt::format("{} is {:.2g} times as heavy as a particle of {}: below {:g} they scatter it, and it does not stay in the centre",
                     told_name(galaxies, hole), mass_of_particle(hole.plan) / mass_of_particle(heaviest->plan),
                     told_name(galaxies, *heaviest), light);
}

/// On a disc beside another component of the same galaxy.
std::optional<std::string> note_on_pair(const ComponentParameters& c, const GalaxyComponent& own, const std::string& name,
                                        const ComponentParameters& other, const GalaxyComponent& beside, const std::string& other_name,
                                        double G) {
  constexpr double heavy = 1.01 * halo_particle_mass;
  const double ratio = mass_of_particle(beside.plan) / mass_of_particle(own.plan);
  if (beside.sphere && !is_halo(other) && other.name == "bulge" && beside.plan.half_mass_radius > own.plan.half_mass_radius)
    return fmt::format("{} is larger than {}: half-mass radii of {:.3g} and {:.3g}", other_name, name, beside.plan.half_mass_radius,
                       own.plan.half_mass_radius);
  if (!is_halo(other) || !beside.sphere || ratio <= heavy) return std::nullopt;
  const double R = 2 * c.number("scale_length");
  const double rotations =
      rotations_to_double(*own.disc, R, beside.sphere->density(R), mass_of_particle(beside.plan), beside.plan.softening, G);
  return fmt::format(
      "particles of {} are {:.3g} times as heavy as those of {} and heat it: its squared vertical dispersion at two scale lengths doubles "
      "in about {:.2g} rotations (Binney & Tremaine 2008, eq. 7.92)",
      other_name, ratio, name, rotations);
}

/// On a disc whose numbers do not make one in equilibrium.
std::optional<std::string> note_on_disc(const ComponentParameters& c, const DiscDistribution& disc, const std::string& name) {
  // With 0.014 the virial ratio of the disc is 1.01, with 0.045 1.04.
  constexpr double stable = 1, told_misfit = 0.03;
  if (c.number("toomre_q") < stable)
    return fmt::format("{}: with toomre_q below 1 its rings are unstable, and it breaks into clumps", name);
  if (disc.misfit() > told_misfit)
    return fmt::format(
        "{} is not in equilibrium: with toomre_q = {:g} its orbits are so wide that no distribution has the wanted dispersions at all "
        "radii, which are off by {:.0f} % of its kinetic energy. A smaller toomre_q, a heavier halo or a lighter disc mends that",
        name, c.number("toomre_q"), 100 * disc.misfit());
  return std::nullopt;
}

}  // namespace

std::string galaxy_table(const Galaxies& galaxies, const std::vector<GalaxyPart>& parts) {
  const bool are_renamed =
      std::any_of(parts.begin(), parts.end(), [&](const GalaxyPart& part) { return told_name(galaxies, part) != part.name; });
  TextTable table(
      {"component", are_renamed ? "type and name" : "type", "particles", "mass", "of a particle", "half-mass radius", "softening"});
  for (const GalaxyPart& part : parts)
    table.add_row({told_name(galaxies, part), are_renamed ? fmt::format("{} {}", part.type, part.name) : std::to_string(part.type),
                   format_count(part.plan.count), fmt::format("{:.5g}", part.plan.mass), fmt::format("{:.4g}", mass_of_particle(part.plan)),
                   part.plan.half_mass_radius > 0 ? fmt::format("{:.4g}", part.plan.half_mass_radius) : "-",
                   fmt::format("{:.4g}", part.plan.softening)});
  return table.text();
}

std::vector<std::string> galaxy_notes(const Galaxies& galaxies, const std::vector<GalaxyPart>& parts,
                                      const std::vector<GalaxyComponent>& made, double G) {
  constexpr std::uint64_t few = 1000;
  std::vector<std::string> notes;
  if (parts.size() >= particle_type_count)
    notes.push_back(fmt::format("{} components share {} particle types and their names", parts.size(), particle_type_count - 1));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ComponentParameters& c = component_of(galaxies, parts[i]);
    const std::string name = told_name(galaxies, parts[i]);
    const auto add = [&](const std::optional<std::string>& note) {
      if (note) notes.push_back(*note);
    };
    if (is_point(c.kind)) {
      add(note_on_hole(galaxies, parts, parts[i]));
      continue;
    }
    if (parts[i].plan.count < few)
      notes.push_back(fmt::format("component {} has {} particles: below {} profile and equilibrium are those of a small sample", name,
                                  parts[i].plan.count, few));
    if (!made[i].disc) continue;
    add(note_on_disc(c, *made[i].disc, name));
    for (std::size_t j = 0; j < parts.size(); ++j)
      if (i != j && parts[j].galaxy == parts[i].galaxy)
        add(note_on_pair(c, made[i], name, component_of(galaxies, parts[j]), made[j], told_name(galaxies, parts[j]), G));
  }
  return notes;
}

}  // namespace grove
