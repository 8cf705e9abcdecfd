#include "src/config/config_print.hpp"

#include <fmt/format.h>

#include "src/config/config_source.hpp"
#include "src/config/given_galaxies.hpp"

namespace grove {
namespace {

// One line: key, value, and the meaning from a common column on. Keys that do not apply are comments.
std::string line(const Setting& setting, const Value& value, bool applies, const std::string& allowed) {
  const std::string assignment = fmt::format("{}{} = {}", applies ? "" : "# ", setting.name, to_toml(value));
  return fmt::format("{:<38} # {} ({})\n", assignment, setting.meaning, allowed);
}

std::string lines_of_choice(const ConfigTable& table, const ConfigChoice& choice, Config config) {
  const std::string chosen = chosen_name(table, choice, config);
  const SettingValues& values = choice.values(config);
  std::string text;
  for (const ConfigChoice::Row& row : choice.rows) {
    if (!choice.like.empty() && row.name != chosen) continue;
    text += fmt::format("# {}: {}{}\n", row.name, row.meaning, row.source.empty() ? "" : fmt::format(" ({})", row.source));
    for (const Setting& setting : row.settings) {
      const auto given = row.name == chosen ? values.find(setting.name) : values.end();
      text += line(setting, given != values.end() ? given->second : setting.default_value, row.name == chosen, what_is_allowed(setting));
    }
  }
  return text;
}

std::string lines_of_galaxies(const std::vector<GalaxyParameters>& galaxies) {
  std::string text;
  for (const GalaxySection& section : sections_of(galaxies)) {
    text += fmt::format("\n# {}\n[{}]\n", section.meaning, section.name);
    for (const auto& [setting, value] : section.keys) text += line(setting, value, true, what_is_allowed(setting));
  }
  return text;
}

}  // namespace

bool is_printed_config(std::string_view text) {
  const ConfigSection& first = config_table().sections.front();
  const std::string begin = fmt::format("# {}\n[{}]\n", first.meaning, first.name);
  return !text.empty() && text.substr(0, begin.size()) == std::string_view(begin).substr(0, text.size());
}

std::string print_config(const Config& config, const ConfigTable& table) {
  std::string text;
  for (const ConfigSection& section : table.sections) {
    text += fmt::format("{}# {}\n[{}]\n", text.empty() ? "" : "\n", section.meaning, section.name);
    for (const ConfigSetting& row : table.settings) {
      if (row.section != section.name) continue;
      const bool has_effect = applies(table, row, config);
      const std::string condition = row.only_with ? "; " + conditions_in_words(row) : "";
      // Values without effect are shown with their defaults.
      text +=
          line(row.setting, has_effect ? row.get(config) : row.setting.default_value, has_effect, what_is_allowed(row.setting) + condition);
    }
    for (const ConfigChoice& choice : table.choices) {
      if (choice.section == section.name) text += lines_of_choice(table, choice, config);
    }
    if (section.name == galaxies_section) text += lines_of_galaxies(config.initial_conditions.galaxies);
  }
  return text;
}

}  // namespace grove
