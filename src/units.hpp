// Code units: what one unit of length, mass and velocity is in cgs, and what follows from that.
#pragma once

#include <string>

namespace grove {

/// Gravitational constant in cm^3 g^-1 s^-2 (CODATA 2018 and 2022).
inline constexpr double gravitational_constant_cgs = 6.67430e-8;

/// Julian year in s.
inline constexpr double year_in_s = 365.25 * 86400.0;

/// The unit system of a run. All three at 1 mean N-body units: numbers without a physical meaning.
/// Grove converts nothing: the units go into the output, and into the times and the G that a user asks for.
struct UnitSystem {
  double length_in_cm = 1.0;
  double mass_in_g = 1.0;
  double velocity_in_cm_per_s = 1.0;

  /// False for N-body units.
  bool is_physical() const;
  /// The unit of time: length / velocity.
  double time_in_s() const { return length_in_cm / velocity_in_cm_per_s; }
  /// The physical gravitational constant in these units.
  double gravitational_constant() const;
  /// `time` (code units) for people: with N-body units the bare number, otherwise in s, yr, kyr, Myr or Gyr, four digits.
  std::string format_time(double time) const;
};

}  // namespace grove
