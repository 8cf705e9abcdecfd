#include "src/units.hpp"

#include <fmt/format.h>

#include <cmath>

namespace grove {

bool UnitSystem::is_physical() const { return length_in_cm != 1.0 || mass_in_g != 1.0 || velocity_in_cm_per_s != 1.0; }

double UnitSystem::gravitational_constant() const {
  return gravitational_constant_cgs * (mass_in_g / length_in_cm) / velocity_in_cm_per_s / velocity_in_cm_per_s;
}

std::string UnitSystem::format_time(double time) const {
  if (!is_physical()) return fmt::format("{:.4g}", time);
  const double years = time * time_in_s() / year_in_s;
  const double size = std::abs(years);
  if (size >= 1e9) return fmt::format("{:.4g} Gyr", years / 1e9);
  if (size >= 1e6) return fmt::format("{:.4g} Myr", years / 1e6);
  if (size >= 1e3) return fmt::format("{:.4g} kyr", years / 1e3);
  if (size >= 1) return fmt::format("{:.4g} yr", years);
  return fmt::format("{:.4g} s", years * year_in_s);
}

}  // namespace grove
