// What a check of drawn galaxies has found, in words and tables.
#pragma once

#include <string>
#include <vector>

#include "src/analysis/galaxy_check.hpp"

namespace grove {

/// Numbers that are off: "disc: surface density at 2.3 is 0.011 for 0.023 (-5.2 sigma)".
struct Findings {
  std::vector<std::string> against_equilibrium;  ///< empty: it is in equilibrium
  std::vector<std::string> against_wishes;       ///< radial dispersions of discs, which may be any in equilibrium
};
Findings findings_of(const CheckedGalaxy& galaxy);

/// Tables of all components, and at last whether the galaxy is in equilibrium.
std::string check_text(const CheckedGalaxy& galaxy);

}  // namespace grove
