// Systems of units, units of quantities in them, and units for people.
#pragma once

#include <string>

#include "kernels/base/physical_constants.hpp"

namespace grove {

/// The unit of a quantity: length^length * mass^mass * velocity^velocity.
struct FieldUnit {
  double length = 0, mass = 0, velocity = 0;
};

/// Code units in cgs. All 1 stands for N-body units, which have no physical scale. The unit of time is length / velocity.
struct UnitSystem {
  double length_in_cm = 1;
  double mass_in_g = 1;
  double velocity_in_cm_per_s = 1;

  double time_in_s() const { return length_in_cm / velocity_in_cm_per_s; }
  bool operator==(const UnitSystem&) const = default;
};

/// False for N-body units: all three at 1, numbers without a physical meaning.
bool is_physical(const UnitSystem& units);

/// Whether a number that two sources record is another one: constants and units of other programs differ in the fourth digit. Files whose
/// numbers are put together must agree better than one that is compared with a configuration.
inline constexpr double same_when_compared = 1e-3, same_when_joined = 1e-6;
bool differ(double a, double b, double tolerance);

/// Whether they are numbers > 0 with which also the unit of time and the gravitational constant are ordinary numbers.
bool are_usable(const UnitSystem& units);
/// The physical gravitational constant in code units.
double gravitational_constant(const UnitSystem& units);

/// The units that a file names for other programs. These know no N-body units: in their place stand 1 kpc, 10^10 solar masses and the
/// velocity with which the physical constant is `G` in code units, 207.4 km/s for G = 1.
UnitSystem units_for_others(const UnitSystem& units, double G);

/// One code unit of a quantity in cgs; 1 for numbers without unit.
double in_cgs(const FieldUnit& unit, const UnitSystem& system);

/// "N-body units", or "units of kpc, 1e10 Msun, km/s".
std::string in_words(const UnitSystem& units);
/// A sentence where `G` is not the physical constant in physical units; else empty.
std::string advice_on_G(double G, const UnitSystem& units);

/// A unit of time for people.
struct TimeUnit {
  double per_code_unit = 1;
  const char* name = "";  ///< "Gyr"; empty in N-body units
};
/// The one of s, yr, kyr, Myr and Gyr that suits `time` (code units), and one code unit where that is 0; in N-body units, the code unit.
TimeUnit unit_of_time(double time, const UnitSystem& units);

/// A unit in which a number is shown.
struct ShownUnit {
  const char* name = "";     ///< static; empty: code units
  double in_code_units = 1;  ///< its size

  /// "2.941176471 Myr", with enough digits to be given back.
  std::string text(double in_code) const;
};

/// The largest of Mpc, kpc, pc, AU and km of which `length` (code units) is at least one; in N-body units, the code unit.
ShownUnit unit_of_length(double length, const UnitSystem& units);

/// `time` (code units) with four digits: in N-body units the bare number, else in the unit of unit_of_time().
std::string format_time(double time, const UnitSystem& units);

}  // namespace grove
