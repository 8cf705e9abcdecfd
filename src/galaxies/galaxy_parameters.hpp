// Galaxies as a user describes them: a list of components each. Which keys a component has is in the tables below.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/setting.hpp"

namespace grove {

/// One component of a galaxy: halo, bulge, disc, black hole. Code units.
struct ComponentParameters {
  std::string name;
  std::string kind;      ///< name in component_kinds()
  SettingValues values;  ///< those of settings_of_kind(kind); what is missing has its default

  /// A number or text among the values or, if missing there, its default. Throws std::logic_error for a name or type that the kind
  /// does not have.
  double number(const std::string& key) const;
  std::uint64_t whole(const std::string& key) const;
  const std::string& text(const std::string& key) const;
  bool operator==(const ComponentParameters&) const = default;
};

/// The keys of a galaxy's place: position, then velocity.
inline constexpr const char* place_keys[6] = {"x", "y", "z", "vx", "vy", "vz"};

/// A galaxy: its components, and where its centre is. Code units.
struct GalaxyParameters {
  std::string name;
  std::vector<ComponentParameters> components;
  SettingValues place;  ///< those of place_settings(); what is missing has its default

  double number(const std::string& key) const;
};

/// A kind of component.
struct ComponentKind {
  std::string name;
  std::string meaning;            ///< one line: its density
  std::string source;             ///< the paper, author year; may be empty
  std::vector<Setting> settings;  ///< all keys of a component of this kind
};

/// The table of kinds; see named_rows.hpp.
const std::vector<ComponentKind>& component_kinds();

/// Whether the kind is a disc, a point, or, otherwise, a sphere.
bool is_disc(const std::string& kind);
bool is_point(const std::string& kind);

/// Where a galaxy is and how its discs are turned: x, y, z, vx, vy, vz, inclination, node.
const std::vector<Setting>& place_settings();

/// A galaxy of the literature, in kpc, km/s and solar masses.
struct GalaxyPreset {
  std::string name;
  std::string meaning;  ///< one line
  std::string source;   ///< of every number
  std::vector<ComponentParameters> components;
};

/// The table of presets; see named_rows.hpp.
const std::vector<GalaxyPreset>& galaxy_presets();

/// What contradicts what in a galaxy: the component and key, and what it must be. Empty: nothing.
struct GalaxyComplaint {
  std::string component, key, must;
};
std::vector<GalaxyComplaint> complaints_about(const GalaxyParameters& galaxy);

}  // namespace grove
