// Makes docs/configuration.md from the table of keys.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <vector>

#include "src/config/config_table.hpp"

namespace grove {

constexpr const char* introduction = R"(# Configuration

<!-- Made from the table in src/config/config_table.cpp. To update it: GROVE_UPDATE_DOCS=1 build/tests/config_reference_test -->

A run is described by a file in [TOML](https://toml.io): keys with values, in sections. A key that is not in the file has its default.
`grove run run.toml --set section.key=value` changes one key for one run; the command line wins over the file.
`grove run --print-config` prints a complete file with all defaults, and a Plummer sphere for the particles, which have none; `grove run run.toml --print-config` one with the values of a run.
Every run writes the values it used to `used_parameters.toml` in its output directory: that file repeats the run.

A key that is unknown, out of range or without effect is an error. The message names the file, the line and what is allowed. A key that
depends on one without effect has none either. Keys in the file that `--set` of another one leaves without effect are passed over.
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

inline std::string sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".\n\n";
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

/// Markdown that describes each key of `table`, and the generators and integrators with their own keys.
inline std::string config_reference(const ConfigTable& table) {
  std::string text = introduction;
  for (const ConfigSection& section : table.sections) {
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
