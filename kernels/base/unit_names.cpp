#include "kernels/base/unit_names.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace grove {

namespace {

/// One code unit by the name of the largest of these units that is not larger: "kpc", "1e10 Msun".
std::string by_name(double in_cgs, std::initializer_list<ShownUnit> largest_first) {
  const ShownUnit* unit = largest_first.begin();
  while (unit + 1 != largest_first.end() && unit->in_code_units > in_cgs * (1 + same_when_joined)) ++unit;
  const double number = in_cgs / unit->in_code_units;
  if (!differ(number, 1, same_when_joined)) return unit->name;
  std::string text = fmt::format("{:.7g}", number);
  if (const std::size_t plus = text.find("e+"); plus != std::string::npos) text.erase(plus + 1, 1);
  return text + " " + unit->name;
}

/// "km/s", or the unit of time where that alone has a name: "Gyr".
std::string of_velocity_or_time(const UnitSystem& units) {
  const std::string velocity = by_name(units.velocity_in_cm_per_s, {{"km/s", 1e5}, {"cm/s", 1}});
  const TimeUnit time = unit_of_time(1, units);
  return velocity != "km/s" && !differ(time.per_code_unit, 1, same_when_joined) ? time.name : velocity;
}

}  // namespace

std::string names_of_units(const UnitSystem& units) {
  if (!is_physical(units)) return "N-body units";
  return fmt::format(
      "{}, {}, {}",
      by_name(units.length_in_cm,
              {{"Mpc", 1e6 * parsec_in_cm}, {"kpc", 1e3 * parsec_in_cm}, {"pc", parsec_in_cm}, {"AU", au_in_cm}, {"km", 1e5}, {"cm", 1}}),
      by_name(units.mass_in_g, {{"Msun", solar_mass_in_g}, {"g", 1}}), of_velocity_or_time(units));
}

}  // namespace grove
