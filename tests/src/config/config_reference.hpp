// Makes docs/configuration.md from the table of keys.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/base/named_rows.hpp"
#include "src/config/config_source.hpp"
#include "src/config/config_table.hpp"
#include "src/config/galaxy_reference.hpp"

namespace grove {

constexpr const char* introduction = R"(# Configuration

<!-- Made from src/config/config_table.cpp. To update it: GROVE_UPDATE_DOCS=1 build/tests/config_reference_test -->

A run is described by a file in [TOML](https://toml.io): keys with values, in sections. A key that is not in the file
has its default. `grove run run.toml --set section.key=value` changes one key for one run; the command line wins over
the file. `grove run --print-config` prints a complete file with all defaults, and a Plummer sphere for the particles,
which have none; `grove run run.toml --print-config` one with the values of a run. Every run writes the values it used
to `used_parameters.toml` in its output directory: that file repeats the run.

A key that is unknown, out of range or without effect is an error. The message names the file, the line and what is
allowed. A key has no effect if the key on which it depends has none. A key of the file that loses its effect by a
`--set` is ignored.
)";

constexpr const char* about_galaxies = R"(```toml
[initial_conditions]
generator = "galaxy"
galaxy = "mine"            # a section [galaxies.NAME] or a preset; without the key: all sections, each at its place

[galaxies.mine]
preset = "milky_way"       # the components it starts from
[galaxies.mine.bulge]      # a component of the preset, of which these keys change
mass = "1.2e10 Msun"
[galaxies.mine."stellar halo"]
kind = "hernquist"         # one more component
mass = "5e8 Msun"
scale_radius = "9 kpc"
```

`--set galaxies.mine.bulge.mass="2e10 Msun"` changes a key for one run. A section that has the name of a preset starts
from that preset, so that `--set galaxies.milky_way.bulge.mass="2e10 Msun"` needs no section in the file. A new `kind`
replaces a component of a preset as a whole, and `kind = "none"` leaves it out. Of `mass`, `density` and
`circular_velocity`, and of `anisotropy` and `anisotropy_radius`, one that is given replaces that of the preset.

Numbers without a unit are in the units of the run. Presets are in kpc, km/s and Msun and are converted: without
`[units]`, these are kpc, km/s and 1e10 Msun where a preset is used. `gravity.softening`, if given, holds for each
component without a `softening` of its own.
)";

// A line of a table; a bar inside a cell would end the cell.
inline std::string table_line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    text += ' ';
    for (const char c : cell) {
      if (c == '|') text += '\\';
      text += c;
    }
    text += " |";
  }
  return text + "\n";
}

inline std::string table_head(const std::vector<std::string>& titles) {
  return table_line(titles) + table_line(std::vector<std::string>(titles.size(), "---"));
}

inline std::string code(const std::string& text) { return "`" + text + "`"; }

inline bool names_the_source(const ConfigSetting& row) {
  return row.section == "initial_conditions" && (row.setting.name == "file" || row.setting.name == "generator");
}

// When the key has an effect; empty: always.
inline std::string condition(const ConfigSetting& row) {
  if (names_the_source(row)) return "exactly one of `file` and `generator` must be given";
  if (belongs_to_generators(row)) return "only with a `generator`";
  if (belongs_to_files(row)) return "only with a `file`";
  return conditions_in_words(row);
}

/// In lines of at most 120 characters.
inline std::string sentence(std::string text) {
  constexpr std::size_t longest = 120;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  text += '.';
  for (std::size_t begin = 0; text.size() - begin > longest;) {
    const std::size_t blank = text.rfind(' ', begin + longest);
    if (blank == std::string::npos || blank <= begin) break;
    text[blank] = '\n';
    begin = blank + 1;
  }
  return text + "\n\n";
}

inline std::string section_text(const ConfigTable& table, const ConfigSection& section) {
  std::vector<ConfigSetting> rows;
  std::copy_if(table.settings.begin(), table.settings.end(), std::back_inserter(rows),
               [&](const ConfigSetting& row) { return row.section == section.name; });
  const bool has_conditions = std::any_of(rows.begin(), rows.end(), [](const ConfigSetting& row) { return !condition(row).empty(); });
  std::vector<std::string> titles{"key", "default", "allowed", "meaning"};
  if (has_conditions) titles.push_back("condition");
  std::string text = fmt::format("\n## [{}]\n\n", section.name) + sentence(section.meaning) + table_head(titles);
  for (const ConfigSetting& row : rows) {
    const Setting& setting = row.setting;
    const std::string default_value = names_the_source(row) ? "none" : code(to_toml(setting.default_value));
    std::vector<std::string> cells{code(setting.name), default_value, what_is_allowed(setting), setting.meaning};
    if (has_conditions) cells.push_back(condition(row));
    text += table_line(cells);
  }
  return text;
}

// One row of a choice, with its own keys.
inline std::string choice_row_text(const std::string& choice, const ConfigChoice::Row& row) {
  std::string text = fmt::format("\n### {} = \"{}\"\n\n", choice, row.name);
  text += sentence(row.meaning + (row.source.empty() ? "" : " (" + row.source + ")"));
  if (row.settings.empty()) return text + "It has no keys of its own.\n";
  text += table_head({"key", "default", "allowed", "meaning"});
  for (const Setting& setting : row.settings)
    text += table_line({code(setting.name), code(to_toml(setting.default_value)), what_is_allowed(setting), setting.meaning});
  return text;
}

inline std::string values_in_words(const ComponentParameters& component) {
  std::string text = "kind = " + component.kind;
  for (const auto& [name, value] : component.values) text += fmt::format(", {} = {}", name, short_number(value));
  return text;
}

inline std::string galaxies_text(const ConfigSection& section) {
  std::string text = fmt::format("\n## [{}]\n\n", section.name) + sentence(section.meaning);
  text += about_galaxies;
  text += "\n### Keys of a galaxy\n\n" + table_head({"key", "default", "allowed", "meaning"});
  text += table_line({code("preset"), code("\"\""), "one of " + fmt::format("{}", fmt::join(names_of(galaxy_presets()), ", ")),
                      "the galaxy from whose components it starts; not given: the one of the same name"});
  for (const Setting& setting : place_settings())
    text += table_line({code(setting.name), code(to_toml(setting.default_value)), what_is_allowed(setting), setting.meaning});
  text += "\n### Kinds of components\n\n" + table_head({"kind", "meaning", "source"});
  for (const ComponentKind& kind : component_kinds()) text += table_line({code(kind.name), kind.meaning, kind.source});
  text += "\n### Keys of a component\n\n" + table_head({"key", "default", "allowed", "meaning", "kinds"});
  text += table_line({code("kind"), "none", "one of the kinds", "its density", "all"});
  for (const ComponentKey& key : component_keys())
    text += table_line({code(key.setting.name), key.default_value == by_kind ? by_kind : code(key.default_value),
                        what_is_allowed(key.setting), key.setting.meaning, key.kinds});
  for (const GalaxyPreset& preset : galaxy_presets()) {
    text += fmt::format("\n### preset = \"{}\"\n\n", preset.name) + sentence(preset.meaning) + sentence("source: " + preset.source);
    text += table_head({"component", "values"});
    for (const ComponentParameters& component : preset.components) text += table_line({code(component.name), values_in_words(component)});
  }
  return text;
}

/// Markdown that describes each key of `table`, and the generators and integrators with their own keys.
inline std::string config_reference(const ConfigTable& table) {
  std::string text = introduction;
  for (const ConfigSection& section : table.sections) {
    if (section.name == galaxies_section) {
      text += galaxies_text(section);
      continue;
    }
    text += section_text(table, section);
    for (const ConfigChoice& choice : table.choices) {
      if (choice.section != section.name) continue;
      if (!choice.like.empty()) {
        text += fmt::format("\nEach {} has the keys that it has in [{}](#{}).\n", choice.name, choice.like, choice.like);
        continue;
      }
      for (const ConfigChoice::Row& row : choice.rows) text += choice_row_text(choice.name, row);
    }
  }
  return text;
}

}  // namespace grove
