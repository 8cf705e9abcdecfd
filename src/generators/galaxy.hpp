// Galaxies of components: which particles they have, and the parts of a model that they make.
#pragma once

#include <string>
#include <vector>

#include "src/galaxies/galaxy_model.hpp"
#include "src/generators/model_parts.hpp"

namespace grove {

/// One component of one galaxy, as particles have it.
struct GalaxyPart {
  std::size_t galaxy = 0, component = 0;  ///< numbers in the list of galaxies, and in that galaxy
  std::string name;
  std::uint8_t type = 1;
  ComponentPlan plan;
};

const ComponentParameters& component_of(const std::vector<GalaxyParameters>& galaxies, const GalaxyPart& part);

/// "a preset (milky_way, ...) or a section [galaxies.NAME]".
std::string preset_or_section();

/// The galaxies that a generator makes of `conditions`: all that they have, or the two of a merger, of which the second gets another name
/// where both are the same.
std::vector<GalaxyParameters> galaxies_of(const InitialConditions& conditions);

/// All components of `galaxies` with `n` particles together, in their order. Galaxies share the particles so that those of one kind have
/// the same mass in all; one of points alone has a particle for each. Up to five components have a particle type each: the one that they
/// give, that of their name, or the next free one; a name that two galaxies have is followed by that of the galaxy. More components share
/// the usual types and their names. Code units. Throws ConfigError for a type that two components give, for points alone that are not `n`,
/// and as plan_of().
std::vector<GalaxyPart> parts_of(const std::vector<GalaxyParameters>& galaxies, std::uint64_t n, double G);

/// The softening lengths by the names that the particles have. Those that were 0 become what their number and size give, in `conditions`,
/// too.
NumberTable choose_softening(InitialConditions& conditions, double G);

/// The model of galaxies at their places, with a table of their components and notes. Throws ConfigError.
Model model_of_galaxies(const std::vector<GalaxyParameters>& galaxies, std::uint64_t n, std::uint64_t seed, double G);

/// The same of galaxies that the keys of a generator describe, whose components have names alike: without a table, and with the softening
/// of the run, which may be none.
Model model_of_keys(std::vector<GalaxyParameters> galaxies, const InitialConditions& conditions, double G);

}  // namespace grove
