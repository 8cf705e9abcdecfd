// The section [units], from what the user gave to a system of units.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/reader.hpp"
#include "io/unit_system.hpp"
#include "src/config/setting.hpp"

namespace grove {

/// The key of [units] that stands for the three others, and its value for the units of the input file.
inline constexpr const char *units_key = "system", *units_of_the_file = "file";

/// What the user gave of [units]; null: not given. Of two ways to say it, the command line's has won over the file's.
struct GivenUnits {
  const GivenSetting* system = nullptr;
  std::vector<const GivenSetting*> single;  ///< those of the three keys that are given
  std::vector<std::string> missing;         ///< the full names of the others
};

/// The keys that `find(section, name)` knows, out of `names` and units_key. A way that is on the command line makes those of the other way
/// in the file vanish. Throws ConfigError for both ways beside each other, and for one or two of three units.
GivenUnits given_units(const std::function<const GivenSetting*(const std::string&)>& find, const std::vector<std::string>& names);

/// What units_key says, as far as it is given and not empty: a system by its names, or that of the input file `path`, of which `in_file`
/// (null: not known) tells what it says itself. Throws ConfigError that names place, key, value and what is needed.
UnitSystem resolve_units(const GivenSetting& system, const std::string& path, const ReadInfo* in_file);

}  // namespace grove
