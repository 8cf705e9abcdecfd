// Names of code units for the axes of pictures.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kernels/base/units.hpp"

namespace grove {

/// "length", "velocity", "density" and "surface_density" as text: "kpc", "2.5 kpc", "1e+10 Msun / kpc^3"; "N-body units" without units.
nlohmann::ordered_json axis_units(const UnitSystem& units);

}  // namespace grove
