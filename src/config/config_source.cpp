#include "src/config/config_source.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

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

/// The keys of a text, and where each stands.
class GivenKeys {
 public:
  explicit GivenKeys(std::string file) : file_(std::move(file)) {}

  void add(const std::string& section, std::string_view key, const toml::node& node, const std::vector<std::string>& path = {}) {
    GivenSetting given;
    given.section = section;
    given.name = std::string(key);
    given.where = fmt::format("{}:{}", file_, node.source().begin.line);
    given.path = path;
    set_value(given, node);
    const toml::source_position place = node.source().begin;
    keys_.emplace_back(std::pair{place.line, place.column}, std::move(given));
  }

  void add_section(const std::string& section, const toml::table& table) {
    add(section, "", table);
    for (const auto& [key, value] : table) {
      if (section == galaxies_section && value.is_table())
        add_galaxy({std::string(key.str())}, *value.as_table());
      else
        add(section, key.str(), value);
    }
  }

  /// toml++ sorts them by name.
  std::vector<GivenSetting> in_order() && {
    std::stable_sort(keys_.begin(), keys_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<GivenSetting> keys;
    for (auto& [place, given] : keys_) keys.push_back(std::move(given));
    return keys;
  }

 private:
  void add_galaxy(const std::vector<std::string>& path, const toml::table& table) {
    const std::string section = galaxy_section_name(path);
    add(section, "", table, path);
    for (const auto& [key, value] : table) {
      std::vector<std::string> inner = path;
      inner.emplace_back(key.str());
      if (value.is_table())
        add_galaxy(inner, *value.as_table());
      else
        add(section, key.str(), value, path);
    }
  }

  std::string file_;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, GivenSetting>> keys_;  ///< with line and column
};

/// A part of an override before its '=', without the quotes around it.
std::string name_in_override(const std::string& part) {
  if (!part.starts_with("\"") && !part.starts_with("'")) return part;
  const toml::table table = toml::parse("name = " + part);
  const std::optional<std::string> name = table["name"].value<std::string>();
  return table.size() == 1 && name ? *name : part;
}

/// The parts between dots that do not stand in quotes, up to '=', whose place is in `equals`; npos: there is none.
std::vector<std::string> parts_of_override(const std::string& text, std::size_t& equals) {
  std::vector<std::string> parts;
  std::size_t begin = 0, i = 0;
  const auto end_part = [&] {
    parts.push_back(name_in_override(trimmed(text.substr(begin, i - begin))));
    begin = i + 1;
  };
  while (i < text.size() && text[i] != '=') {
    const bool is_quote = (text[i] == '"' || text[i] == '\'') && trimmed(text.substr(begin, i - begin)).empty();
    if (text[i] == '.') end_part();
    i = is_quote ? end_of_quoted(text, i) : i + 1;
  }
  equals = i < text.size() ? i : std::string::npos;
  end_part();
  return parts;
}

constexpr const char* form_of_override = "an override must be section.key=value, e.g. gravity.softening=0.05";
constexpr const char* form_in_galaxies =
    "an override of a galaxy must be galaxies.GALAXY.COMPONENT.KEY=value, e.g. galaxies.mine.bulge.mass=1.2, or galaxies.GALAXY.KEY=value";

/// Section and name of the override; returns the place of '='. Throws ConfigError.
std::size_t read_name(const std::string& text, GivenSetting& given) {
  std::size_t equals = text.find('=');
  const std::size_t dot = std::min(text.find('.'), equals);
  given.section = trimmed(text.substr(0, dot));
  if (dot < equals) given.name = trimmed(text.substr(dot + 1, equals - dot - 1));
  bool is_good = equals != std::string::npos && !given.section.empty() && !given.name.empty();
  const bool is_of_galaxy = given.section == galaxies_section;
  if (is_of_galaxy) {
    try {
      std::vector<std::string> parts = parts_of_override(text, equals);
      is_good = equals != std::string::npos && (parts.size() == 3 || parts.size() == 4);
      if (is_good) {
        given.name = parts.back();
        given.path.assign(parts.begin() + 1, parts.end() - 1);
        given.section = galaxy_section_name(given.path);
      }
    } catch (const toml::parse_error&) {
      is_good = false;
    }
  }
  if (!is_good) throw ConfigError(fmt::format("command line: \"{}\": {}", text, is_of_galaxy ? form_in_galaxies : form_of_override));
  return equals;
}

}  // namespace

std::string galaxy_section_name(const std::vector<std::string>& path) {
  std::string name = galaxies_section;
  for (const std::string& part : path) name += "." + name_in_toml(part);
  return name;
}

std::vector<GivenSetting> read_toml(const std::string& text, const std::string& name) {
  GivenKeys keys(name);
  if (const std::size_t stray = find_stray_character(text); stray != std::string::npos) {
    const auto line = static_cast<std::size_t>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(stray), '\n'));
    throw ConfigError(fmt::format("{}:{}: not valid TOML: {}", name, line, toml_mistake(text, line, stray_character)));
  }
  try {
    const toml::table root = toml::parse(std::string_view(text));
    for (const auto& [section, node] : root) {
      if (const toml::table* table = node.as_table())
        keys.add_section(std::string(section.str()), *table);
      else
        keys.add("", section.str(), node);
    }
  } catch (const toml::parse_error& error) {
    const std::size_t line = error.source().begin.line;
    throw ConfigError(fmt::format("{}:{}: not valid TOML: {}", name, line, toml_mistake(text, line, error.description())));
  }
  return std::move(keys).in_order();
}

GivenSetting read_override(const std::string& text) {
  GivenSetting given;
  const std::size_t equals = read_name(text, given);
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
