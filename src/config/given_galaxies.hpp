// Galaxies of components, from the sections that the user gave to checked parameters, and back to sections.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/base/setting.hpp"
#include "kernels/base/units.hpp"
#include "src/config/config.hpp"

namespace grove {

/// The keys of the generators that name galaxies.
inline constexpr const char* galaxy_keys[] = {"galaxy", "galaxy_1", "galaxy_2"};
/// The units of a run that takes a preset, where [units] says nothing: kpc, km/s, 1e10 Msun.
UnitSystem usual_units_of_galaxies();

/// A galaxy that the generator uses, as it was given.
struct GivenGalaxy {
  std::string name;
  std::vector<GivenSetting> keys;  ///< of its sections in the order of the file, then those of the command line
  GivenSetting chosen;             ///< the key that chose it

  /// The key as it was given at last, or null. For a key of the galaxy itself, `component` is empty.
  const GivenSetting* find(const std::string& component, const std::string& key) const;
  /// The preset from which it starts: that of the key preset or, without the key, that of its name. Empty: none. Throws ConfigError.
  std::string preset() const;
};

/// The galaxies that `choice` names among the `keys` of [galaxies] and the presets, each once. `choice` has galaxy_keys with texts as
/// values; an empty "galaxy" stands for all sections. Throws ConfigError that names place, key, value and what is allowed.
std::vector<GivenGalaxy> used_galaxies(const std::vector<GivenSetting>& keys, const std::vector<GivenSetting>& choice);

/// Throws ConfigError for a section of a galaxy that is not `used` because of `reasons`, unless it is in the file and one of these is on
/// the command line.
void require_used(const std::vector<GivenSetting>& keys, const std::vector<GivenGalaxy>& used, const std::vector<GivenSetting>& reasons);

/// Its parameters in the units of the run, every key with a value. Keys on the command line replace those of the file, and those of the
/// file those of the preset, which also lose the keys that exclude the new ones. Throws ConfigError as above.
GalaxyParameters galaxy_of(const GivenGalaxy& given, const UnitSystem& units);

/// Brings gravity.softening (`of_gravity`; null: not given) into components without a softening of their own, and all lengths into
/// config.gravity. A length on the command line wins over one in the file. Throws ConfigError for two lengths of one component.
void match_softening(const std::vector<GivenGalaxy>& given, const GivenSetting* of_gravity, Config& config);

/// A section of a galaxy or component with all its keys.
struct GalaxySection {
  std::string name;     ///< galaxies.mine."stellar halo"
  std::string meaning;  ///< of its kind
  std::vector<std::pair<Setting, Value>> keys;
};

/// The sections that stand for the galaxies, in their order. Read again, they give the same galaxies bit for bit.
std::vector<GalaxySection> sections_of(const std::vector<GalaxyParameters>& galaxies);

}  // namespace grove
