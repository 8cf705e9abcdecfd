#include "src/config/config_print.hpp"

#include <fmt/format.h>

#include "src/config/config.hpp"
#include "src/config/config_table.hpp"

namespace grove {
namespace {

// One line: key, value, and the meaning from a common column on. Keys that do not apply are comments.
void print_line(std::string& text, const Setting& setting, const Value& value, bool applies) {
  const std::string assignment = fmt::format("{}{} = {}", applies ? "" : "# ", setting.name, to_toml(value));
  text += fmt::format("{:<38} # {} ({})\n", assignment, setting.meaning, what_is_allowed(setting));
}

void print_generator(std::string& text, const Generator& generator, const InitialConditions& conditions) {
  const bool applies = generator.name == conditions.generator;
  const std::string source = generator.source.empty() ? "" : fmt::format(" ({})", generator.source);
  text += fmt::format("# {}: {}{}\n", generator.name, generator.meaning, source);
  for (const Setting& setting : generator.parameters) {
    const auto given = conditions.parameters.find(setting.name);
    print_line(text, setting, applies && given != conditions.parameters.end() ? given->second : setting.default_value, applies);
  }
}

}  // namespace

std::string print_config(const Config& config) {
  const bool from_file = !config.initial_conditions.file.empty();
  // Numbers that have no effect are shown with their defaults.
  const Config defaults;
  std::string text;
  for (const ConfigSection& section : config_sections()) {
    text += fmt::format("{}# {}\n[{}]\n", text.empty() ? "" : "\n", section.meaning, section.name);
    for (const ConfigSetting& row : config_settings()) {
      if (row.section != section.name) continue;
      bool applies = true;
      if (section.name == "initial_conditions") applies = belongs_to_generators(row) != from_file;
      if (!setting_that_disables(row, config.gravity).empty()) applies = false;
      print_line(text, row.setting, row.get(applies ? config : defaults), applies);
    }
    if (section.name != "initial_conditions") continue;
    for (const Generator& generator : generators()) print_generator(text, generator, config.initial_conditions);
  }
  return text;
}

}  // namespace grove
