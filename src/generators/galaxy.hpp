// What the galaxies of a configuration give to the rest of it.
#pragma once

#include "src/generators/generator.hpp"

namespace grove {

/// The softening lengths of the components of conditions.galaxies, checked ones, by the names that their particles have: those of the
/// components or, where they are 0, by number and size. Code units.
NumberTable softening_of_galaxies(const InitialConditions& conditions);

}  // namespace grove
