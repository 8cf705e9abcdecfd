// Galaxies of components.
#include "src/generators/galaxy.hpp"

#include <algorithm>
#include <stdexcept>

namespace grove {
namespace {

Model prepare(const InitialConditions&, double) { throw std::logic_error("not yet"); }

}  // namespace

NumberTable softening_of_galaxies(const InitialConditions& conditions) {
  NumberTable lengths;
  for (const GalaxyParameters& galaxy : conditions.galaxies)
    for (const ComponentParameters& component : galaxy.components)
      if (const double length = component.number("softening"); length > 0)
        lengths[component.name] = std::max(lengths[component.name], length);
  return lengths;
}

Generator galaxy() {
  return {
      "galaxy",
      "galaxies of components in equilibrium: haloes, bulges, discs, black holes",
      "Eddington 1916; Kuijken & Dubinski 1995",
      {{"galaxy",
        "",
        {},
        "the galaxy: a preset (milky_way, m31, lmc, sagittarius) or a section [galaxies.NAME]; empty: all sections, each at its place"}},
      nullptr,
      prepare};
}

}  // namespace grove
