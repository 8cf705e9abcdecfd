#include "src/generators/galaxy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "src/galaxies/galaxy_place.hpp"
#include "src/generators/galaxy_notes.hpp"

namespace grove {
namespace {

/// The type of spheres of other names where types are shared.
constexpr std::uint8_t stars = 4;

/// The type that a component gives or its name has; 0: neither.
std::uint8_t wanted_type(const ComponentParameters& c) {
  static const std::map<std::string, std::uint8_t> usual{{"halo", 1},  {"disc", 2},       {"bulge", 3},
                                                         {"stars", 4}, {"black hole", 5}, {"black holes", 5}};
  if (const std::uint64_t given = c.whole("type"); given > 0) return static_cast<std::uint8_t>(given);
  const auto found = usual.find(c.name);
  return found == usual.end() ? std::uint8_t{0} : found->second;
}

using Galaxies = std::vector<GalaxyParameters>;

void give_own_types(const Galaxies& galaxies, std::vector<GalaxyPart>& parts) {
  std::array<bool, particle_type_count> taken{};
  std::vector<bool> has_type(parts.size(), false);
  for (const bool only_given : {true, false})
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const ComponentParameters& c = component_of(galaxies, parts[i]);
      const bool is_given = c.whole("type") > 0;
      const std::uint8_t wanted = wanted_type(c);
      if (has_type[i] || wanted == 0 || (only_given && !is_given)) continue;
      if (taken[wanted] && is_given)
        throw ConfigError(
            fmt::format("component {}: type = {} is that of another component already: leave it out, or choose another one of 1 to {}",
                        parts[i].name, wanted, particle_type_count - 1));
      if (taken[wanted]) continue;
      parts[i].type = wanted;
      taken[wanted] = has_type[i] = true;
    }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (has_type[i]) continue;
    std::uint8_t free = 1;
    while (taken[free]) ++free;
    parts[i].type = free;
    taken[free] = true;
  }
}

void share_types(const Galaxies& galaxies, std::vector<GalaxyPart>& parts) {
  const ComponentNames usual = usual_component_names();
  for (GalaxyPart& part : parts) {
    const ComponentParameters& c = component_of(galaxies, part);
    const std::uint8_t wanted = wanted_type(c);
    part.type = wanted > 0 ? wanted : is_disc(c.kind) ? std::uint8_t{2} : is_point(c.kind) ? std::uint8_t{5} : stars;
    part.name = usual[part.type];
  }
}

/// What a galaxy weighs where particles are shared.
double weight_of(const GalaxyParameters& galaxy, double G) {
  constexpr std::uint64_t any = 1000000;  // masses do not depend on it
  const std::vector<ComponentPlan> plans = plan_of(galaxy, any, G);
  double weight = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) weight += plans[i].mass * particles_for_mass(galaxy.components[i]);
  return weight;
}

/// A galaxy of points alone has one particle for each; the others share the rest by weight, and each component has one if there are so
/// many.
std::vector<std::uint64_t> counts_of_galaxies(const std::vector<GalaxyParameters>& galaxies, std::uint64_t n, double G) {
  std::vector<double> weights;
  double all = 0;
  std::uint64_t points = 0;
  for (const GalaxyParameters& galaxy : galaxies) {
    const bool has_more = std::any_of(galaxy.components.begin(), galaxy.components.end(), [](const auto& c) { return !is_point(c.kind); });
    all += weights.emplace_back(!has_more ? 0.0 : galaxies.size() == 1 ? 1.0 : weight_of(galaxy, G));
    if (!has_more) points += galaxy.components.size();
  }
  if (n < points || (all == 0 && n > points))
    throw ConfigError(fmt::format("n = {}: galaxies of points alone have one particle for each point: {}", n, points));
  std::vector<std::uint64_t> counts;
  double before = 0;
  std::uint64_t used = 0;
  for (std::size_t g = 0; g < galaxies.size(); ++g) {
    if (weights[g] == 0) {
      counts.push_back(galaxies[g].components.size());
      continue;
    }
    before += weights[g];
    const auto end = static_cast<std::uint64_t>(std::llround(before / all * static_cast<double>(n - points)));
    counts.push_back(end - used);
    used = end;
  }
  std::size_t least = 0;
  for (const GalaxyParameters& galaxy : galaxies) least += galaxy.components.size();
  // One that has fewer particles than components gets some of those that have the most to spare.
  const auto to_spare = [&](std::size_t g) {
    return static_cast<std::int64_t>(counts[g]) - static_cast<std::int64_t>(galaxies[g].components.size());
  };
  for (std::size_t g = 0; g < galaxies.size() && n >= least; ++g)
    for (; to_spare(g) < 0; ++counts[g]) {
      std::size_t richest = 0;
      for (std::size_t other = 1; other < galaxies.size(); ++other)
        if (to_spare(other) > to_spare(richest)) richest = other;
      --counts[richest];
    }
  return counts;
}

Draw draw_of(const GalaxyComponent& component, const GalaxyPlace& place) {
  return [component, place](RandomStream& random, ModelParticle& particle) {
    component.draw(random, particle.position, particle.velocity);
    if (!component.disc) return;
    place.turn(particle.position);
    place.turn(particle.velocity);
  };
}

/// Throws ConfigError where numbers as large as the place or the velocity of galaxy g are too far apart for what is inside of it.
void require_digits_at_place(const GalaxyParameters& galaxy, std::size_t g, const std::vector<GalaxyPart>& parts, double G) {
  constexpr double finest = 1e-3;  // of the smallest half-mass radius, and of the velocity that holds the whole together
  double mass = 0, smallest = 0, largest = 0;
  for (const GalaxyPart& part : parts) {
    if (part.galaxy != g) continue;
    mass += part.plan.mass;
    if (part.plan.half_mass_radius == 0) continue;
    smallest = smallest > 0 ? std::min(smallest, part.plan.half_mass_radius) : part.plan.half_mass_radius;
    largest = std::max(largest, part.plan.half_mass_radius);
  }
  if (largest == 0) return;  // points alone
  for (std::size_t k = 0; k < std::size(place_keys); ++k) {
    const bool is_position = k < 3;
    const double value = galaxy.number(place_keys[k]), own = is_position ? smallest : std::sqrt(G * mass / largest);
    const double apart = std::nextafter(std::abs(value), std::numeric_limits<double>::infinity()) - std::abs(value);
    if (apart <= finest * own) continue;
    throw ConfigError(
        fmt::format("galaxy {}: {} = {:g}, in code units: numbers as large as that are {:.2g} apart, which is too coarse for its {} "
                    "{:.3g}: it must be {}",
                    galaxy.name, place_keys[k], value, apart, is_position ? "smallest half-mass radius of" : "velocities of about", own,
                    is_position ? "nearer to the origin" : "slower"));
  }
}

Model prepare_galaxy(const InitialConditions& conditions, double G) {
  return model_of_galaxies(galaxies_of(conditions), conditions.n, conditions.seed, G);
}

}  // namespace

const ComponentParameters& component_of(const Galaxies& galaxies, const GalaxyPart& part) {
  return galaxies[part.galaxy].components[part.component];
}

std::string preset_or_section() {
  return fmt::format("a preset ({}) or a section [galaxies.NAME]", fmt::join(names_of(galaxy_presets()), ", "));
}

std::vector<GalaxyParameters> galaxies_of(const InitialConditions& conditions) {
  if (conditions.generator != "merger") return conditions.galaxies;
  Galaxies both;
  for (const char* which : {"galaxy_1", "galaxy_2"})
    if (const GalaxyParameters* const found = find_named(conditions.galaxies, conditions.text(which))) both.push_back(*found);
  if (both.size() == 2 && both[0].name == both[1].name) both[1].name += " 2";
  return both;
}

std::vector<GalaxyPart> parts_of(const Galaxies& galaxies, std::uint64_t n, double G) {
  const std::vector<std::uint64_t> counts = counts_of_galaxies(galaxies, n, G);
  std::map<std::string, int> uses;
  for (const GalaxyParameters& galaxy : galaxies)
    for (const ComponentParameters& c : galaxy.components) ++uses[c.name];
  std::vector<GalaxyPart> parts;
  for (std::size_t g = 0; g < galaxies.size(); ++g) {
    const std::vector<ComponentPlan> plans = plan_of(galaxies[g], counts[g], G);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::string& name = galaxies[g].components[i].name;
      parts.push_back({g, i, uses[name] > 1 ? name + " " + galaxies[g].name : name, 1, plans[i]});
    }
  }
  (parts.size() < particle_type_count ? give_own_types : share_types)(galaxies, parts);
  return parts;
}

NumberTable choose_softening(InitialConditions& conditions, double G) {
  const Galaxies galaxies = galaxies_of(conditions);
  NumberTable lengths;
  const std::vector<GalaxyPart> parts = parts_of(galaxies, conditions.n, G);
  for (const GalaxyPart& part : parts) lengths[part.name] = std::max(lengths[part.name], part.plan.softening);
  for (const GalaxyPart& part : parts)
    for (GalaxyParameters& galaxy : conditions.galaxies)
      if (galaxy.name == galaxies[part.galaxy].name) galaxy.components[part.component].values["softening"] = lengths[part.name];
  return lengths;
}

Model model_of_galaxies(const Galaxies& galaxies, std::uint64_t n, std::uint64_t seed, double G) {
  if (galaxies.empty()) throw ConfigError("generator galaxy needs a galaxy: " + preset_or_section());
  const std::vector<GalaxyPart> all = parts_of(galaxies, n, G);
  std::vector<std::uint64_t> counts(galaxies.size());
  for (const GalaxyPart& part : all) counts[part.galaxy] += part.plan.count;
  // The first galaxy that is the same, except for its place: distribution functions take seconds.
  const auto first_alike = [&](std::size_t g) {
    std::size_t first = 0;
    while (counts[first] != counts[g] || galaxies[first].components != galaxies[g].components) ++first;
    return first;
  };
  std::vector<std::vector<GalaxyComponent>> of_galaxies;
  std::vector<GalaxyComponent> made;
  std::vector<ModelPart> parts;
  for (std::size_t g = 0; g < galaxies.size(); ++g) {
    require_digits_at_place(galaxies[g], g, all, G);
    const GalaxyPlace place(galaxies[g]);
    const std::size_t first = first_alike(g);
    of_galaxies.push_back(first < g ? of_galaxies[first] : galaxy_components(galaxies[g], counts[g], G));
    for (const GalaxyComponent& component : of_galaxies[g]) {
      const GalaxyPart& part = all[made.size()];
      ModelPart model;
      model.component.type = part.type;
      model.component.name = part.name;
      model.count = part.plan.count;
      model.mass = part.plan.mass;
      model.draw = draw_of(component, place);
      std::copy_n(place.position, 3, model.component.position);
      std::copy_n(place.velocity, 3, model.component.velocity);
      parts.push_back(std::move(model));
      made.push_back(component);
    }
  }
  Model model = model_of_parts(std::move(parts), seed);
  model.table = galaxy_table(galaxies, all);
  model.notes = galaxy_notes(galaxies, all, made, G);
  model.galaxies = galaxies;
  return model;
}

Model model_of_keys(Galaxies galaxies, const InitialConditions& conditions, double G) {
  // Of a scale radius: practically no softening, which components always have.
  constexpr double none = 1e-6;
  for (GalaxyParameters& galaxy : galaxies)
    for (ComponentParameters& c : galaxy.components) {
      const double of_run = conditions.softening_of(galaxies.size() > 1 ? c.name + " " + galaxy.name : c.name);
      c.values["softening"] = of_run > 0 ? of_run : none * c.number(is_disc(c.kind) ? "scale_length" : "scale_radius");
    }
  Model model = model_of_galaxies(galaxies, conditions.n, conditions.seed, G);
  model.table.clear();
  return model;
}

Generator galaxy() {
  return {"galaxy",
          "galaxies of components in equilibrium: haloes, bulges, discs, black holes",
          "Eddington 1916; Kuijken & Dubinski 1995",
          {{"galaxy", "", {}, fmt::format("the galaxy: {}; empty: all sections, each at its place", preset_or_section())}},
          nullptr,
          prepare_galaxy,
          true};
}

}  // namespace grove
