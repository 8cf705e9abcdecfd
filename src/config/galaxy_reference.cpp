#include "src/config/galaxy_reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/galaxies/galaxy_parameters.hpp"

namespace grove {
namespace {

/// The kinds that have a key of this name and meaning, and the default of each.
struct Owners {
  std::vector<std::string> kinds, defaults;
};

Owners owners_of(const Setting& key) {
  Owners owners;
  for (const ComponentKind& kind : component_kinds())
    for (const Setting& setting : kind.settings)
      if (setting.name == key.name && setting.meaning == key.meaning) {
        owners.kinds.push_back(kind.name);
        owners.defaults.push_back(to_toml(setting.default_value));
      }
  return owners;
}

std::string in_words(const std::vector<std::string>& kinds) {
  if (kinds.size() == component_kinds().size()) return "all";
  std::vector<std::string> others;
  bool are_spheres = true;
  for (const ComponentKind& kind : component_kinds()) {
    const bool is_sphere = !is_disc(kind.name) && !is_point(kind.name);
    const bool is_one = std::find(kinds.begin(), kinds.end(), kind.name) != kinds.end();
    are_spheres = are_spheres && (is_sphere || !is_one);
    if (is_sphere && !is_one) others.push_back(kind.name);
  }
  if (!are_spheres || others.size() > kinds.size()) return fmt::format("{}", fmt::join(kinds, ", "));
  return others.empty() ? "spheres" : fmt::format("spheres except {}", fmt::join(others, ", "));
}

}  // namespace

std::vector<ComponentKey> component_keys() {
  std::vector<ComponentKey> keys;
  for (const ComponentKind& kind : component_kinds())
    for (const Setting& setting : kind.settings) {
      const auto is_it = [&](const ComponentKey& key) {
        return key.setting.name == setting.name && key.setting.meaning == setting.meaning;
      };
      if (std::any_of(keys.begin(), keys.end(), is_it)) continue;
      const auto [kinds, defaults] = owners_of(setting);
      const bool is_same =
          std::all_of(defaults.begin(), defaults.end(), [&, &first = defaults.front()](const auto& one) { return one == first; });
      keys.push_back({setting, in_words(kinds), is_same ? defaults.front() : by_kind});
    }
  return keys;
}

std::string short_number(const Value& value) {
  const auto* const number = std::get_if<double>(&value);
  return number ? fmt::format("{:g}", *number) : to_toml(value);
}

std::string galaxies_help() {
  std::string text =
      "Presets, in kpc, km/s and Msun. 'grove ic galaxy --preset milky_way ... --set galaxies.milky_way.bulge.mass=\"2e10 Msun\"'\n"
      "changes a number:\n";
  for (const GalaxyPreset& preset : galaxy_presets()) {
    text += fmt::format("  {}: {}\n    source: {}\n", preset.name, preset.meaning, preset.source);
    for (const ComponentParameters& component : preset.components) {
      text += fmt::format("    {}: kind = {}", component.name, component.kind);
      for (const auto& [name, value] : component.values) text += fmt::format(", {} = {}", name, short_number(value));
      text += "\n";
    }
  }
  text += "\nKinds of components:\n";
  for (const ComponentKind& kind : component_kinds())
    text += fmt::format("  {}: {}{}\n", kind.name, kind.meaning, kind.source.empty() ? "" : " (" + kind.source + ")");
  text += "\nKeys of components, in [galaxies.NAME.COMPONENT]:\n";
  for (const ComponentKey& key : component_keys())
    text += fmt::format("  {} [{}] {}: {} ({})\n", key.setting.name, key.default_value, key.kinds, key.setting.meaning,
                        what_is_allowed(key.setting));
  text += "\nKeys of a galaxy, in [galaxies.NAME], beside preset:\n";
  for (const Setting& setting : place_settings())
    text += fmt::format("  {} [{}]: {}\n", setting.name, to_toml(setting.default_value), setting.meaning);
  return text;
}

}  // namespace grove
