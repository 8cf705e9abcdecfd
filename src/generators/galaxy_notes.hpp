// What a user is told of galaxies before they move.
#pragma once

#include <string>
#include <vector>

#include "src/generators/galaxy.hpp"

namespace grove {

/// A row for each component. Where particles have other names than components, those stand beside the type.
std::string galaxy_table(const std::vector<GalaxyParameters>& galaxies, const std::vector<GalaxyPart>& parts);

/// One sentence for each thing that is odd. `made`: the components in the order of `parts`.
std::vector<std::string> galaxy_notes(const std::vector<GalaxyParameters>& galaxies, const std::vector<GalaxyPart>& parts,
                                      const std::vector<GalaxyComponent>& made, double G);

}  // namespace grove
