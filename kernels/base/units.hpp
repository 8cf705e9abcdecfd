// Units for people: advice on the gravitational constant, suitable units of time and length.
#pragma once

#include <string>

#include "kernels/base/physical_constants.hpp"
#include "kernels/base/unit_system.hpp"

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
