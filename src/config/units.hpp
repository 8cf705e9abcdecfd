// What follows from the units of a run, for people: advice on the gravitational constant, and times.
#pragma once

#include <string>

#include "io/physical_constants.hpp"
#include "io/unit_system.hpp"

namespace grove {

/// "N-body units", or "units of 3.086e+21 cm, 1.989e+43 g, 1e+05 cm/s".
std::string in_words(const UnitSystem& units);

/// A sentence where `G` is not the physical constant in physical units; else empty.
std::string advice_on_G(double G, const UnitSystem& units);

/// A unit of time for people.
struct TimeUnit {
  double per_code_unit = 1;
  const char* name = "";  ///< "Gyr"; empty in N-body units
};
/// The one of s, yr, kyr, Myr and Gyr that suits `time` (code units); in N-body units, the code unit.
TimeUnit unit_of_time(double time, const UnitSystem& units);

/// A unit of length for people.
struct LengthUnit {
  double in_code_units = 1;
  const char* name = "";  ///< "kpc"; empty in N-body units
};
/// The largest of Mpc, kpc, pc, AU and km of which `length` (code units) is at least one; in N-body units, the code unit.
LengthUnit unit_of_length(double length, const UnitSystem& units);

/// `time` (code units) for people: with N-body units the bare number, otherwise in s, yr, kyr, Myr or Gyr, four digits.
std::string format_time(double time, const UnitSystem& units);

}  // namespace grove
