#include "kernels/base/unit_system.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/physical_constants.hpp"

namespace grove {

bool is_physical(const UnitSystem& units) {
  return units.length_in_cm != 1.0 || units.mass_in_g != 1.0 || units.velocity_in_cm_per_s != 1.0;
}

bool are_same(const UnitSystem& a, const UnitSystem& b) {
  return a.length_in_cm == b.length_in_cm && a.mass_in_g == b.mass_in_g && a.velocity_in_cm_per_s == b.velocity_in_cm_per_s;
}

bool differ(double a, double b, double tolerance) { return std::abs(a - b) > tolerance * std::max(std::abs(a), std::abs(b)); }

bool are_usable(const UnitSystem& units) {
  for (const double x : {units.length_in_cm, units.mass_in_g, units.velocity_in_cm_per_s, units.time_in_s(), gravitational_constant(units)})
    if (!std::isnormal(x) || !(x > 0)) return false;
  return true;
}

double gravitational_constant(const UnitSystem& units) {
  return gravitational_constant_cgs * (units.mass_in_g / units.length_in_cm) / units.velocity_in_cm_per_s / units.velocity_in_cm_per_s;
}

UnitSystem units_for_others(const UnitSystem& units, double G) {
  if (is_physical(units)) return units;
  UnitSystem scale{1e3 * parsec_in_cm, 1e10 * solar_mass_in_g, 1};
  scale.velocity_in_cm_per_s = std::sqrt(gravitational_constant_cgs * (scale.mass_in_g / scale.length_in_cm) / G);
  return scale;
}

double in_cgs(const FieldUnit& unit, const UnitSystem& system) {
  return std::pow(system.length_in_cm, unit.length) * std::pow(system.mass_in_g, unit.mass) *
         std::pow(system.velocity_in_cm_per_s, unit.velocity);
}

}  // namespace grove
