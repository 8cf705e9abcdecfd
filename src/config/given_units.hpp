// The section [units], from what the user gave to a system of units.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/formats/reader.hpp"
#include "kernels/base/setting.hpp"
#include "kernels/base/units.hpp"

namespace grove {

/// The key of [units] that stands for the three others, and the value with which a key takes what the input file says.
inline constexpr const char *units_key = "system", *of_the_file = "file";

/// The keys of [units] that the user gave; null: not given.
struct GivenUnits {
  const GivenSetting* system = nullptr;
  std::vector<const GivenSetting*> single;  ///< those of the three keys that are given
};

/// The keys of [units] that `find(name)` has, among `names` and units_key. Units on the command line win over those in the file, in
/// whichever way they are given. Throws ConfigError for both ways together, and for one or two of three units.
GivenUnits given_units(const std::function<const GivenSetting*(const std::string&)>& find, const std::vector<std::string>& names);

/// The system that units_key says: by its names, or that of the input file `path`, which `in_file` describes (null: not known). Throws
/// ConfigError that names place, key, value and what is needed.
UnitSystem resolve_units(const GivenSetting& system, const std::string& path, const ReadInfo* in_file);

}  // namespace grove
