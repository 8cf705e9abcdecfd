#include "src/plot/axis_units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/base/physical_constants.hpp"

namespace grove {

namespace {

/// "kpc", "2.5 kpc"; the unit alone for 1.
std::string multiple(double factor, const std::string& unit) {
  return std::abs(factor - 1) < 1e-3 ? unit : fmt::format("{:.4g} {}", factor, unit);
}

}  // namespace

nlohmann::ordered_json axis_units(const UnitSystem& units) {
  if (!is_physical(units))
    return {{"length", "N-body units"}, {"velocity", "N-body units"}, {"density", "N-body units"}, {"surface_density", "N-body units"}};
  const ShownUnit shown = unit_of_length(1, units);
  const std::string length = multiple(1 / shown.in_code_units, shown.name), per = length == shown.name ? length : "(" + length + ")";
  const std::string mass = multiple(units.mass_in_g / solar_mass_in_g, "Msun");
  return {{"length", length},
          {"velocity", multiple(units.velocity_in_cm_per_s / 1e5, "km/s")},
          {"density", fmt::format("{} / {}^3", mass, per)},
          {"surface_density", fmt::format("{} / {}^2", mass, per)}};
}

}  // namespace grove
