// The names of a system of units.
#pragma once

#include <string>

#include "kernels/base/units.hpp"

namespace grove {

/// "N-body units", or "kpc, 1e10 Msun, km/s".
std::string names_of_units(const UnitSystem& units);

}  // namespace grove
