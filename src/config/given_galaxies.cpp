#include "src/config/given_galaxies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/named_rows.hpp"
#include "kernels/base/quantity.hpp"
#include "src/config/config_source.hpp"
#include "src/config/config_table.hpp"
#include "src/generators/galaxy.hpp"

namespace grove {
namespace {

const UnitSystem units_of_presets{1e3 * parsec_in_cm, solar_mass_in_g, 1e5};

Setting preset_setting() {
  return {"preset", "", {}, "the galaxy from whose components it starts", names_of(galaxy_presets()), "or \"\": none"};
}

/// The kind of a component of a preset that a galaxy shall not have.
constexpr const char* no_kind = "none";

Setting kind_setting() {
  std::vector<std::string> allowed = names_of(component_kinds());
  allowed.emplace_back(no_kind);
  return {"kind", "", {}, "its density", allowed};
}

[[noreturn]] void fail_in_section(const GivenSetting& given, const std::string& section, const std::string& must) {
  throw ConfigError(fmt::format("{}: [{}]: {}", given.where, section, must));
}

/// Names of galaxies and components are shown in messages and files.
void require_name(const GivenSetting& given, const std::string& name) {
  if (name.empty() || printable_line(name, 64) != name)
    fail_in_section(given, given.section, "a name must have 1 to 64 characters that can be printed, with no blanks at its ends");
}

/// The names of the sections, in their order. Throws ConfigError for keys where none can be.
std::vector<std::string> galaxies_in(const std::vector<GivenSetting>& keys) {
  const std::string form = "a galaxy is a section [galaxies.NAME], and a component a section [galaxies.NAME.COMPONENT]";
  std::vector<std::string> names;
  for (const GivenSetting& given : keys) {
    if (given.path.empty() && !given.name.empty()) fail(given, "is no section: " + form);
    if (given.path.size() > 2) fail_in_section(given, given.section, "a component has no sections: " + form);
    for (const std::string& name : given.path) require_name(given, name);
    if (!given.path.empty() && std::find(names.begin(), names.end(), given.path[0]) == names.end()) names.push_back(given.path[0]);
  }
  return names;
}

/// The components in code units, every key with a value.
std::vector<ComponentParameters> components_of(const GalaxyPreset& preset, const UnitSystem& units) {
  std::vector<ComponentParameters> components = preset.components;
  for (ComponentParameters& component : components)
    for (const Setting& setting : settings_of(component_kinds(), component.kind)) {
      Value& value = component.values.try_emplace(setting.name, setting.default_value).first->second;
      if (auto* const number = std::get_if<double>(&value))
        *number *= in_cgs(setting.dimension, units_of_presets) / in_cgs(setting.dimension, units);
    }
  return components;
}

/// The mass of no galaxy, in solar masses.
constexpr double too_heavy = 1e17;

/// Whoever knows presets in Msun may take it for the unit of a run in 1e10 Msun.
void require_usual_mass(const GivenSetting& given, const Setting& setting, const Value& value, const UnitSystem& units) {
  if (setting.dimension != Dimension::mass || !is_physical(units)) return;
  const double number = std::get<double>(value), mass = number * in_cgs(Dimension::mass, units) / solar_mass_in_g;
  if (mass > too_heavy)
    fail(given, fmt::format("is {:.3g} Msun. Numbers without a unit are in code units: is \"{:g} Msun\" meant?", mass, number));
}

/// Of these keys, one says what the others say, too.
void drop_rivals(const GivenSetting& given, ComponentParameters& component, const std::vector<Setting>& settings) {
  static const std::vector<std::set<std::string>> rivals{{"mass", "density", "circular_velocity"}, {"anisotropy", "anisotropy_radius"}};
  for (const std::set<std::string>& group : rivals) {
    if (!group.contains(given.name)) continue;
    for (const std::string& name : group)
      if (const Setting* const setting = find_named(settings, name)) component.values[name] = setting->default_value;
  }
}

// Brings the given keys into one component.
class GivenComponent {
 public:
  GivenComponent(const GivenGalaxy& galaxy, const ComponentParameters& start) : galaxy_(galaxy), component_(start) {
    for (const GivenSetting& key : galaxy.keys)
      if (key.path.size() == 2 && key.path[1] == start.name) keys_.push_back(key);
  }

  ComponentParameters result(const UnitSystem& units) {
    choose_kind(units);
    if (component_.kind == no_kind) {
      for (const GivenSetting& key : keys_)
        if (!key.name.empty() && key.name != "kind" && key.from_command_line >= kind_->from_command_line)
          fail(key, "has no effect and must go: kind = \"none\" leaves the component out");
      return component_;
    }
    const std::vector<Setting>& settings = settings_of(component_kinds(), component_.kind);
    for (const Setting& setting : settings) component_.values.try_emplace(setting.name, setting.default_value);
    for (const bool from_command_line : {false, true}) {
      std::vector<GivenSetting> layer;
      for (const GivenSetting& key : keys_)
        if (key.from_command_line == from_command_line && !key.name.empty() && key.name != "kind" && has_effect(key)) layer.push_back(key);
      for (const GivenSetting& key : layer) drop_rivals(key, component_, settings);
      for (const GivenSetting& key : layer) {
        const Setting& setting = *find_named(settings, key.name);
        require_usual_mass(key, setting, component_.values[key.name] = accept(setting, key, units), units);
      }
    }
    return component_;
  }

 private:
  /// With another kind than in the preset, nothing of the preset is left.
  void choose_kind(const UnitSystem& units) {
    kind_ = galaxy_.find(component_.name, "kind");
    if (kind_) {
      const std::string kind = std::get<std::string>(accept(kind_setting(), *kind_, units));
      if (kind == no_kind && component_.kind.empty()) fail(*kind_, "leaves out a component of a preset, and there is none of this name");
      if (kind != component_.kind) component_ = {component_.name, kind, {}};
    }
    if (!component_.kind.empty()) return;
    std::string of_preset;
    if (const GalaxyPreset* const preset = find_named(galaxy_presets(), galaxy_.preset()))
      of_preset = fmt::format("; {} has the components {}{}", preset->name, fmt::join(names_of(preset->components), ", "),
                              suggestion(component_.name, names_of(preset->components)));
    fail_in_section(keys_.front(), keys_.front().section,
                    fmt::format("needs kind = one of {}{}", fmt::join(names_of(component_kinds()), ", "), of_preset));
  }

  /// False for keys of the file whose kind the command line has changed. Throws ConfigError for other keys that the kind does not have.
  bool has_effect(const GivenSetting& key) const {
    const std::vector<std::string> own = names_of(settings_of(component_kinds(), component_.kind));
    if (std::find(own.begin(), own.end(), key.name) != own.end()) return true;
    std::vector<std::string> owners;
    for (const ComponentKind& kind : component_kinds())
      if (find_named(kind.settings, key.name)) owners.push_back(kind.name);
    if (owners.empty())
      fail(key, fmt::format("unknown key{}. Allowed with kind = \"{}\": kind, {}", suggestion(key.name, own), component_.kind,
                            fmt::join(own, ", ")));
    if (kind_ && kind_->from_command_line && !key.from_command_line) return false;
    fail(key, fmt::format("belongs to the kinds {}, but the kind of this component is {}", fmt::join(owners, ", "), component_.kind));
  }

  const GivenGalaxy& galaxy_;
  ComponentParameters component_;
  std::vector<GivenSetting> keys_;
  const GivenSetting* kind_ = nullptr;
};

/// Sets where the galaxy is, and finds the components that are not in its preset.
void read_place(const GivenGalaxy& given, const UnitSystem& units, GalaxyParameters& galaxy) {
  std::vector<std::string> names{"preset"};
  for (const Setting& setting : place_settings()) names.push_back(setting.name);
  for (const GivenSetting& key : given.keys) {
    if (key.path.size() == 2) {
      if (std::find(names.begin(), names.end(), key.path[1]) != names.end())
        fail_in_section(key, key.section, fmt::format("{} is a key of a galaxy: give the component another name", key.path[1]));
      if (!find_named(galaxy.components, key.path[1])) galaxy.components.push_back({key.path[1], "", {}});
    } else if (const Setting* const setting = find_named(place_settings(), key.name)) {
      galaxy.place[key.name] = accept(*setting, key, units);
    } else if (!key.name.empty() && key.name != "preset") {
      const bool is_of_components = std::any_of(component_kinds().begin(), component_kinds().end(), [&](const ComponentKind& kind) {
        return key.name == "kind" || find_named(kind.settings, key.name);
      });
      fail(key, fmt::format("unknown key{}. Allowed in [{}]: {}",
                            is_of_components ? fmt::format(" ({} belongs to a component, in [{}.COMPONENT])", key.name, key.section)
                                             : suggestion(key.name, names),
                            key.section, fmt::join(names, ", ")));
    }
  }
}

void require_no_complaints(const GivenGalaxy& given, const GalaxyParameters& galaxy) {
  const std::vector<GalaxyComplaint> complaints = complaints_about(galaxy);
  if (complaints.empty()) return;
  const GalaxyComplaint& first = complaints.front();
  const std::string section = galaxy_section_name(first.component.empty() ? std::vector<std::string>{given.name}
                                                                          : std::vector<std::string>{given.name, first.component});
  const auto header = std::find_if(given.keys.begin(), given.keys.end(), [&](const GivenSetting& key) { return key.section == section; });
  const GivenSetting& there = header == given.keys.end() ? given.chosen : *header;
  if (first.key.empty()) fail_in_section(there, section, "must be " + first.must);
  if (const GivenSetting* const key = given.find(first.component, first.key)) fail(*key, "must be " + first.must);
  const Value& value = find_named(galaxy.components, first.component)->values.at(first.key);
  fail({section, first.key, {}, to_toml(value) + " (not given)", there.where}, "must be " + first.must);
}

/// What gravity.softening says of the component.
std::optional<double> length_for(const std::string& component, const GivenSetting* of_gravity, const GravityParameters& gravity) {
  if (!of_gravity) return std::nullopt;
  if (gravity.softening_of_component.empty()) return gravity.softening;
  const auto found = gravity.softening_of_component.find(component);
  return found == gravity.softening_of_component.end() ? std::nullopt : std::optional(found->second);
}

/// The name that the particles of a component have, by the names of galaxy and component.
using ParticleNames = std::map<std::pair<std::string, std::string>, std::string>;
ParticleNames names_of_particles(const InitialConditions& conditions, double G) {
  const std::vector<GalaxyParameters> galaxies = galaxies_of(conditions);
  ParticleNames names;
  for (const GalaxyPart& part : parts_of(galaxies, conditions.n, G))
    names[{galaxies[part.galaxy].name, galaxies[part.galaxy].components[part.component].name}] = part.name;
  return names;
}

}  // namespace

UnitSystem usual_units_of_galaxies() { return {1e3 * parsec_in_cm, 1e10 * solar_mass_in_g, 1e5}; }

const GivenSetting* GivenGalaxy::find(const std::string& component, const std::string& key) const {
  const auto is_it = [&](const GivenSetting& given) {
    return given.name == key && (component.empty() ? given.path.size() == 1 : given.path.size() == 2 && given.path[1] == component);
  };
  const auto found = std::find_if(keys.rbegin(), keys.rend(), is_it);
  return found == keys.rend() ? nullptr : &*found;
}

std::string GivenGalaxy::preset() const {
  const GivenSetting* const given = find("", "preset");
  if (!given) return find_named(galaxy_presets(), name) ? name : "";
  return given->text() && given->text()->empty() ? "" : std::get<std::string>(accept(preset_setting(), *given, {}));
}

std::vector<GivenGalaxy> used_galaxies(const std::vector<GivenSetting>& keys, const std::vector<GivenSetting>& choice) {
  const std::vector<std::string> sections = galaxies_in(keys);
  std::vector<std::string> allowed = names_of(galaxy_presets());
  allowed.insert(allowed.end(), sections.begin(), sections.end());
  std::vector<GivenGalaxy> used;
  for (const GivenSetting& chosen : choice) {
    std::vector<std::string> names{*chosen.text()};
    if (names.front().empty()) {
      if (chosen.name != galaxy_keys[0]) continue;
      if (sections.empty())
        fail(chosen, fmt::format("there is no section [galaxies.NAME], of which a galaxy is made: give one, or a preset: {}",
                                 fmt::join(allowed, ", ")));
      names = sections;
    }
    for (const std::string& name : names) {
      if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
        fail(chosen, fmt::format("must be {}{}", preset_or_section(), suggestion(name, allowed)));
      if (find_named(used, name)) continue;
      used.push_back({name, {}, chosen});
      for (const GivenSetting& key : keys)
        if (!key.path.empty() && key.path[0] == name) used.back().keys.push_back(key);
    }
  }
  return used;
}

void require_used(const std::vector<GivenSetting>& keys, const std::vector<GivenGalaxy>& used, const std::vector<GivenSetting>& reasons) {
  const bool is_changed = std::any_of(reasons.begin(), reasons.end(), [](const GivenSetting& one) { return one.from_command_line; });
  std::vector<std::string> words;
  for (const GivenSetting& reason : reasons) words.push_back(full_name(reason));
  for (const GivenSetting& key : keys) {
    if (key.path.empty() || find_named(used, key.path[0]) || (is_changed && !key.from_command_line)) continue;
    fail_in_section(key, galaxy_section_name({key.path[0]}), fmt::format("is not used, with {}, and must go", fmt::join(words, " and ")));
  }
}

GalaxyParameters galaxy_of(const GivenGalaxy& given, const UnitSystem& units) {
  GalaxyParameters galaxy{given.name, {}, {}};
  for (const Setting& setting : place_settings()) galaxy.place[setting.name] = setting.default_value;
  if (const GalaxyPreset* const preset = find_named(galaxy_presets(), given.preset())) {
    const GivenSetting* const key = given.find("", "preset");
    if (!is_physical(units))
      fail(key ? *key : given.chosen,
           fmt::format("{} is in kpc, km/s and Msun, and N-body units have none of them: leave [units] out, or give units.system = \"kpc, "
                       "km/s, 1e10 Msun\"",
                       preset->name));
    galaxy.components = components_of(*preset, units);
  }
  read_place(given, units, galaxy);
  for (ComponentParameters& component : galaxy.components) component = GivenComponent(given, component).result(units);
  if (std::erase_if(galaxy.components, [](const ComponentParameters& one) { return one.kind == no_kind; }) > 0 && galaxy.components.empty())
    fail_in_section(given.keys.front(), galaxy_section_name({given.name}), "kind = \"none\" leaves every component out: keep at least one");
  require_no_complaints(given, galaxy);
  return galaxy;
}

void match_softening(const std::vector<GivenGalaxy>& given, const GivenSetting* of_gravity, Config& config) {
  if (of_gravity && config.gravity.softening_of_component.empty() && config.gravity.softening == 0 &&
      !config.initial_conditions.galaxies.empty())
    fail(*of_gravity, "galaxies are softened: leave it out for lengths by number and size, or give a length above 0");
  const bool has_table = !config.gravity.softening_of_component.empty();
  bool is_one_for_all = of_gravity && !has_table;
  const auto particle_names = has_table && !config.initial_conditions.galaxies.empty()
                                  ? names_of_particles(config.initial_conditions, config.gravity.G)
                                  : ParticleNames{};
  for (GalaxyParameters& galaxy : config.initial_conditions.galaxies)
    for (ComponentParameters& component : galaxy.components) {
      double& length = std::get<double>(component.values.at("softening"));
      std::optional<double> wanted = length_for(component.name, of_gravity, config.gravity);
      if (const auto name = particle_names.find({galaxy.name, component.name}); !wanted && name != particle_names.end())
        wanted = length_for(name->second, of_gravity, config.gravity);
      if (!wanted) continue;
      // Lengths above 0 are given ones.
      const GivenSetting* const own = length > 0 ? find_named(given, galaxy.name)->find(component.name, "softening") : nullptr;
      if (!own || (of_gravity->from_command_line && !own->from_command_line)) length = *wanted;
      is_one_for_all = is_one_for_all && *wanted == length;
      if (*wanted == length) continue;
      if (has_table && own->from_command_line == of_gravity->from_command_line)
        fail(*own, fmt::format("gravity.softening says {} for this component: one of them must go", *wanted));
      if (has_table) config.gravity.softening_of_component[component.name] = length;
    }
  if (config.initial_conditions.galaxies.empty() || is_one_for_all) return;
  // Particles may have other names than components have.
  NumberTable lengths = config.gravity.softening_of_component;
  for (const GalaxyParameters& galaxy : config.initial_conditions.galaxies)
    for (const ComponentParameters& component : galaxy.components) lengths.erase(component.name);
  lengths.merge(choose_softening(config.initial_conditions, config.gravity.G));
  if (lengths.empty()) return;
  config_table().find("gravity", "softening")->set(config, Value(lengths));
}

std::vector<GalaxySection> sections_of(const std::vector<GalaxyParameters>& galaxies) {
  std::vector<GalaxySection> sections;
  for (const GalaxyParameters& galaxy : galaxies) {
    // All components follow, with every value: nothing is left to a preset.
    sections.push_back({galaxy_section_name({galaxy.name}),
                        "a galaxy: where its centre is, and how its discs are turned",
                        {{preset_setting(), Value("")}}});
    const auto add = [&](const std::vector<Setting>& settings, const SettingValues& values) {
      for (const Setting& setting : settings) {
        const auto given = values.find(setting.name);
        sections.back().keys.emplace_back(setting, given == values.end() ? setting.default_value : given->second);
      }
    };
    add(place_settings(), galaxy.place);
    for (const ComponentParameters& component : galaxy.components) {
      const ComponentKind& kind = *find_named(component_kinds(), component.kind);
      sections.push_back({galaxy_section_name({galaxy.name, component.name}),
                          fmt::format("{}: {}{}", kind.name, kind.meaning, kind.source.empty() ? "" : " (" + kind.source + ")"),
                          {{kind_setting(), Value(kind.name)}}});
      add(kind.settings, component.values);
    }
  }
  return sections;
}

}  // namespace grove
