// Numbers with units, as they stand in a configuration: "3 Gyr", "50 pc", "kpc, km/s, 1e10 Msun".
#pragma once

#include <optional>
#include <string>

#include "io/unit_system.hpp"
#include "src/config/setting.hpp"

namespace grove {

/// The units of a dimension in words: "s, yr, kyr, Myr, Gyr".
std::string unit_names(Dimension dimension);

/// A text with a number for people to imitate: "3 Gyr".
const char* example_of(Dimension dimension);

/// A unit in which people are told a number.
struct ShownUnit {
  const char* name = "";     ///< of a table that stays; empty: code units
  double in_code_units = 1;  ///< of the unit

  /// "2.941176471 Myr", with enough digits to be given back.
  std::string text(double in_code) const;
};

/// What a text says or, where it says nothing that makes sense, why not: a half sentence on what it must be. Exactly one of both is there.
template <class Meaning>
struct Understood {
  std::optional<Meaning> value;
  std::string complaint;
};

/// "3 Gyr" in code units. The number comes first; a unit of another dimension and N-body `units` are complaints.
Understood<double> read_quantity(const std::string& text, Dimension dimension, const UnitSystem& units);

/// The unit in "3 Gyr", so that an answer has it, too; code units for what is no quantity that read_quantity() takes, and for velocities.
ShownUnit unit_of(const std::string& text, Dimension dimension, const UnitSystem& units);

/// "kpc, km/s, 1e10 Msun": a unit of mass and two of length, velocity and time, in any order, each with a number before it or without.
Understood<UnitSystem> read_unit_system(const std::string& text);

}  // namespace grove
