// Kinds of components, their keys, and presets, for people.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/setting.hpp"

namespace grove {

/// In place of a default that is not the same for all kinds.
inline constexpr const char* by_kind = "by kind";

/// A key of components.
struct ComponentKey {
  Setting setting;
  std::string kinds;          ///< that have it: "all", "spheres except king", "dehnen, two_power"
  std::string default_value;  ///< as TOML, or by_kind
};

/// All keys of components, each once for each meaning.
std::vector<ComponentKey> component_keys();

/// A value with up to six digits, as a person would write it: 8.54e+06.
std::string short_number(const Value& value);

/// Presets with the sources of their numbers, kinds and keys: the end of a help text.
std::string galaxies_help();

}  // namespace grove
