#include "src/run/files/log_units.hpp"

#include <utility>

#include "kernels/base/physical_constants.hpp"

namespace grove {

LogUnits log_units(const UnitSystem& units) {
  if (!is_physical(units)) {
    const LogUnit n_body{"N-body units"};
    return {n_body, n_body, n_body, n_body};
  }
  const ShownUnit shown = unit_of_length(1, units);
  const std::string name = shown.name;
  const double length = 1 / shown.in_code_units, mass = units.mass_in_g / solar_mass_in_g, velocity = units.velocity_in_cm_per_s / 1e5;
  return {{name, length},
          {"Msun (km/s)^2", mass * velocity * velocity},
          {"Msun km/s", mass * velocity},
          {"Msun " + name + " km/s", mass * length * velocity}};
}

std::vector<LogUnit> length_units(const UnitSystem& units) {
  if (!is_physical(units)) return {{"N-body units"}};
  std::vector<LogUnit> all;
  for (const auto& [name, in_cm] :
       {std::pair{"Mpc", 1e6 * parsec_in_cm}, {"kpc", 1e3 * parsec_in_cm}, {"pc", parsec_in_cm}, {"AU", au_in_cm}, {"km", 1e5}})
    all.push_back({name, units.length_in_cm / in_cm});
  return all;
}

}  // namespace grove
