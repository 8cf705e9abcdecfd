// Systems of units, and units of quantities in them.
#pragma once

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
};

/// False for N-body units: all three at 1, numbers without a physical meaning.
bool is_physical(const UnitSystem& units);

/// Whether they are the same numbers, bit for bit.
bool are_same(const UnitSystem& a, const UnitSystem& b);

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

}  // namespace grove
