// What follows from the units of a run: the gravitational constant and times for people.
#pragma once

#include <string>

#include "io/unit_system.hpp"

namespace grove {

/// Gravitational constant in cm^3 g^-1 s^-2 (CODATA 2018 and 2022).
inline constexpr double gravitational_constant_cgs = 6.67430e-8;

/// Julian year in s.
inline constexpr double year_in_s = 365.25 * 86400.0;

/// False for N-body units: all three at 1, numbers without a physical meaning. Grove converts nothing: units go into the output, and into
/// the times and the G that a user asks for.
bool is_physical(const UnitSystem& units);

/// The physical gravitational constant in code units.
double gravitational_constant(const UnitSystem& units);

/// A sentence where `G` is not the physical constant in physical units; else empty.
std::string advice_on_G(double G, const UnitSystem& units);

/// `time` (code units) for people: with N-body units the bare number, otherwise in s, yr, kyr, Myr or Gyr, four digits.
std::string format_time(double time, const UnitSystem& units);

}  // namespace grove
