// The units in which the numbers of a run's logs are shown to people.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/units.hpp"

namespace grove {

/// A unit with its name, and the factor from code units to it.
struct LogUnit {
  std::string name;  ///< "kpc"; "N-body units" where there is no physical scale
  double per_code_unit = 1;
};

/// Units of the columns of energy.csv: kpc (or the unit of length that suits one code unit), Msun and km/s, and what follows from them.
struct LogUnits {
  LogUnit length, energy, momentum, angular_momentum;
};

LogUnits log_units(const UnitSystem& units);

/// Mpc, kpc, pc, AU and km, the largest first; in N-body units the code unit alone.
std::vector<LogUnit> length_units(const UnitSystem& units);

}  // namespace grove
