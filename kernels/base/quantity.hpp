// Numbers with units, as they stand in a configuration: "3 Gyr", "50 pc", "kpc, km/s, 1e10 Msun".
#pragma once

#include <optional>
#include <string>

#include "kernels/base/setting.hpp"
#include "kernels/base/units.hpp"

namespace grove {

/// The units of a dimension in words: "s, yr, kyr, Myr, Gyr".
std::string unit_names(Dimension dimension);
/// An example of a quantity: "3 Gyr".
const char* example_of(Dimension dimension);

/// One code unit of a number of that dimension in cgs; 1 for numbers without unit.
double in_cgs(Dimension dimension, const UnitSystem& units);

/// What a text means or, if it means nothing, a half sentence on what it must be. Exactly one of both is set.
template <class Meaning>
struct Understood {
  std::optional<Meaning> value;
  std::string complaint;
};

/// "3 Gyr" in code units. A text without a number or with a unit of another dimension, and N-body `units`, give a complaint.
Understood<double> read_quantity(const std::string& text, Dimension dimension, const UnitSystem& units);

/// The unit in "3 Gyr", to answer in the same unit; code units for velocities, and for texts that read_quantity() does not take.
ShownUnit unit_of(const std::string& text, Dimension dimension, const UnitSystem& units);

/// "kpc, km/s, 1e10 Msun": a unit of mass and two of length, velocity and time, in any order, each with a number before it or without.
Understood<UnitSystem> read_unit_system(const std::string& text);

}  // namespace grove
