#include "kernels/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "kernels/base/unit_names.hpp"

namespace grove {

bool is_physical(const UnitSystem& units) { return units != UnitSystem{}; }

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

std::string in_words(const UnitSystem& units) { return (is_physical(units) ? "units of " : "") + names_of_units(units); }

std::string advice_on_G(double G, const UnitSystem& units) {
  constexpr double tolerance = 1e-3;  // constants and masses of the Sun of other programs differ in the fourth digit
  const double physical = gravitational_constant(units);
  if (!is_physical(units) || std::abs(G - physical) <= tolerance * physical) return "";
  return fmt::format("gravity.G = {:.6g} is not the gravitational constant in [units], which is {:.6g} (gravity.G = \"cgs\")", G, physical);
}

TimeUnit unit_of_time(double time, const UnitSystem& units) {
  if (!is_physical(units)) return {};
  const double years_per_unit = units.time_in_s() / year_in_s;
  const double size =
      (time == 0 ? 1 : std::abs(time)) * years_per_unit * (1 + 1e-9);  // "1 Gyr" is such a time whatever its last digits are
  for (const auto& [years, name] : {std::pair{1e9, "Gyr"}, {1e6, "Myr"}, {1e3, "kyr"}, {1.0, "yr"}})
    if (size >= years) return {years_per_unit / years, name};
  return {units.time_in_s(), "s"};
}

ShownUnit unit_of_length(double length, const UnitSystem& units) {
  if (!is_physical(units)) return {};
  constexpr ShownUnit in_cm[] = {
      {"Mpc", 1e6 * parsec_in_cm}, {"kpc", 1e3 * parsec_in_cm}, {"pc", parsec_in_cm}, {"AU", au_in_cm}, {"km", 1e5}};
  const double size = std::abs(length) * units.length_in_cm * (1 + 1e-9);
  const auto* const unit =
      std::find_if(std::begin(in_cm), std::prev(std::end(in_cm)), [&](const ShownUnit& u) { return size >= u.in_code_units; });
  return {unit->name, unit->in_code_units / units.length_in_cm};
}

std::string ShownUnit::text(double in_code) const { return fmt::format("{:.10g}{}{}", in_code / in_code_units, *name ? " " : "", name); }

std::string format_time(double time, const UnitSystem& units) {
  const TimeUnit unit = unit_of_time(time, units);
  return fmt::format("{:.4g}{}{}", time * unit.per_code_unit, *unit.name ? " " : "", unit.name);
}

}  // namespace grove
