#include "io/unit_system.hpp"

#include <cmath>

namespace grove {

double in_cgs(const FieldUnit& unit, const UnitSystem& system) {
  return std::pow(system.length_in_cm, unit.length) * std::pow(system.mass_in_g, unit.mass) *
         std::pow(system.velocity_in_cm_per_s, unit.velocity);
}

}  // namespace grove
