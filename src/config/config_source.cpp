#include "src/config/config_source.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "kernels/base/error.hpp"
#include "kernels/base/text_parts.hpp"
#include "src/config/toml_advice.hpp"

namespace grove {
namespace {

/// The first character outside of quotes and comments that is not ASCII; npos if there is none. TOML forbids it, and toml++ 3.3 has
/// undefined behaviour with it.
std::size_t find_stray_character(std::string_view text) {
  std::size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // a byte-order mark
  while (i < text.size()) {
    if (static_cast<unsigned char>(text[i]) >= 0x80) return i;
    if (text[i] == '#')
      i = std::min(text.find('\n', i), text.size());
    else
      i = text[i] == '"' || text[i] == '\'' ? end_of_quoted(text, i) : i + 1;
  }
  return std::string_view::npos;
}

constexpr const char* stray_character = "a character that is not ASCII stands outside of quotes and comments";

std::string describe(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  return "a date or time";
}

/// A table of numbers and texts alone, or nothing.
std::optional<GivenTable> as_flat_table(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table) return std::nullopt;
  GivenTable entries;
  for (const auto& [name, value] : *table) {
    if (value.is_number())
      entries[std::string(name.str())] = *value.value<double>();
    else if (const auto* text = value.as_string())
      entries[std::string(name.str())] = text->get();
    else
      return std::nullopt;
  }
  return entries;
}

void set_value(GivenSetting& given, const toml::node& node) {
  if (const auto* whole = node.as_integer()) {
    given.value = whole->get();
    given.shown = fmt::format("{}", whole->get());
  } else if (const auto* number = node.as_floating_point()) {
    given.value = number->get();
    given.shown = fmt::format("{}", number->get());
  } else if (const auto* choice = node.as_boolean()) {
    given.value = choice->get();
    given.shown = choice->get() ? "true" : "false";
  } else if (const auto* text = node.as_string()) {
    given.value = text->get();
    given.shown = fmt::format("\"{}\"", text->get());
  } else if (const auto table = as_flat_table(node)) {
    given.value = *table;
    given.shown = to_toml(*table);
  } else {
    given.shown = describe(node);
  }
}

GivenSetting make_given(const std::string& section, std::string_view key, const toml::node& node, const std::string& file) {
  GivenSetting given;
  given.section = section;
  given.name = std::string(key);
  given.where = fmt::format("{}:{}", file, node.source().begin.line);
  set_value(given, node);
  return given;
}

}  // namespace

std::vector<GivenSetting> read_toml(const std::string& text, const std::string& name) {
  std::vector<GivenSetting> keys;
  if (const std::size_t stray = find_stray_character(text); stray != std::string::npos) {
    const auto line = static_cast<std::size_t>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(stray), '\n'));
    throw ConfigError(fmt::format("{}:{}: not valid TOML: {}", name, line, toml_mistake(text, line, stray_character)));
  }
  try {
    const toml::table root = toml::parse(std::string_view(text));
    for (const auto& [section, node] : root) {
      const std::string section_name(section.str());
      const toml::table* table = node.as_table();
      if (!table) {
        keys.push_back(make_given("", section_name, node, name));
        continue;
      }
      keys.push_back(make_given(section_name, "", node, name));
      for (const auto& [key, value] : *table) keys.push_back(make_given(section_name, key.str(), value, name));
    }
  } catch (const toml::parse_error& error) {
    const std::size_t line = error.source().begin.line;
    throw ConfigError(fmt::format("{}:{}: not valid TOML: {}", name, line, toml_mistake(text, line, error.description())));
  }
  return keys;
}

GivenSetting read_override(const std::string& text) {
  const auto equals = text.find('='), dot = std::min(text.find('.'), equals);
  GivenSetting given;
  given.section = trimmed(text.substr(0, dot));
  if (dot < equals) given.name = trimmed(text.substr(dot + 1, equals - dot - 1));
  if (equals == std::string::npos || given.section.empty() || given.name.empty())
    throw ConfigError(fmt::format("command line: \"{}\": an override must be section.key=value, e.g. gravity.softening=0.05", text));
  given.where = "command line";
  given.from_command_line = true;
  given.raw = trimmed(text.substr(equals + 1));
  given.value = given.raw;
  given.shown = fmt::format("\"{}\"", given.raw);
  if (find_stray_character(given.raw) != std::string::npos) {
    given.not_toml = stray_character;
    return given;
  }
  try {
    const std::string line = "value = " + given.raw;
    const toml::table table = toml::parse(std::string_view(line));
    // More than one key: the value has a line break, so it is a text.
    if (table.size() == 1) {
      given.value = std::monostate{};
      set_value(given, *table.get("value"));
    }
  } catch (const toml::parse_error& error) {
    // A bare text: tree, output/run1.
    given.not_toml = std::string(error.description());
  }
  return given;
}

}  // namespace grove
