#include "kernels/base/setting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/quantity.hpp"

namespace grove {
namespace {

// Beyond this a double no longer holds every whole number.
constexpr double max_exact_integer = 9007199254740992.0;

bool in_range(double x, const Range& range) {
  if (!std::isfinite(x) || x > range.high) return false;
  return range.low_included ? x >= range.low : x > range.low;
}

/// "a number >= 0, in code units or with a unit as "50 pc"".
std::string number_in_words(const Setting& setting) {
  std::string words = std::holds_alternative<std::uint64_t>(setting.default_value) ? "a whole number" : "a number";
  const bool has_low = std::isfinite(setting.range.low), has_high = std::isfinite(setting.range.high);
  if (has_low) words += fmt::format(" {} {}", setting.range.low_included ? ">=" : ">", setting.range.low);
  if (has_high) words += fmt::format("{} <= {}", has_low ? " and" : "", setting.range.high);
  if (setting.dimension != Dimension::none) words += fmt::format(", in code units or with a unit as {}", example_of(setting.dimension));
  return words;
}

/// A table of numbers, each of which may have a unit. Throws ConfigError that names the entry.
std::optional<Value> as_table(const Setting& setting, const GivenSetting& given, const UnitSystem& units) {
  const auto* table = std::get_if<GivenTable>(&given.value);
  const bool may_be_empty = std::holds_alternative<NumberTable>(setting.default_value);
  if (!table || !(setting.takes_table || may_be_empty) || (table->empty() && !may_be_empty)) return std::nullopt;
  NumberTable numbers;
  for (const auto& [name, entry] : *table) {
    const std::string shown = to_toml(GivenTable{{name, entry}}), assignment = shown.substr(1, shown.size() - 2);
    double& number = numbers[name];
    if (const auto* text = std::get_if<std::string>(&entry)) {
      const Understood<double> quantity = read_quantity(*text, setting.dimension, units);
      if (!quantity.value) fail(given, fmt::format("{}: {}", assignment, quantity.complaint));
      number = *quantity.value;
    } else {
      number = std::get<double>(entry);
    }
    if (!in_range(number, setting.range)) fail(given, fmt::format("{}: must be {}", assignment, number_in_words(setting)));
  }
  return numbers;
}

std::optional<Value> as_number(const Setting& setting, const GivenSetting& given) {
  double x = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&given.value)) {
    x = static_cast<double>(*whole);
  } else if (const auto* number = std::get_if<double>(&given.value)) {
    x = *number;
  } else {
    return std::nullopt;
  }
  if (!in_range(x, setting.range)) return std::nullopt;
  return x;
}

std::optional<Value> as_whole_number(const Setting& setting, const GivenSetting& given) {
  std::int64_t x = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&given.value)) {
    x = *whole;
  } else if (const auto* number = std::get_if<double>(&given.value)) {
    if (!(std::abs(*number) <= max_exact_integer) || std::trunc(*number) != *number) return std::nullopt;
    x = static_cast<std::int64_t>(*number);
  } else {
    return std::nullopt;
  }
  if (x < 0 || !in_range(static_cast<double>(x), setting.range)) return std::nullopt;
  return static_cast<std::uint64_t>(x);
}

std::optional<Value> as_text(const Setting& setting, const GivenSetting& given) {
  const std::string* const quoted = given.text();
  if (!quoted && !given.from_command_line) return std::nullopt;
  const std::string& text = quoted ? *quoted : given.raw;
  if (text.empty() && setting.default_value != Value("")) return std::nullopt;
  // File names end at this character.
  if (text.find('\0') != std::string::npos) return std::nullopt;
  if (!setting.allowed.empty() && std::find(setting.allowed.begin(), setting.allowed.end(), text) == setting.allowed.end())
    return std::nullopt;
  return text;
}

std::optional<Value> as_true_or_false(const GivenSetting& given) {
  if (const auto* value = std::get_if<bool>(&given.value)) return *value;
  return std::nullopt;
}

template <class Type>
const Type& among(const SettingValues& values, const std::vector<Setting>& settings, const std::string& owner, const std::string& name) {
  const auto given = values.find(name);
  const auto setting = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.name == name; });
  if (given == values.end() && setting == settings.end()) throw std::logic_error(fmt::format("{} has no parameter {}", owner, name));
  const Type* value = std::get_if<Type>(given != values.end() ? &given->second : &setting->default_value);
  if (!value) throw std::logic_error(fmt::format("parameter {} of {} has another type", name, owner));
  return *value;
}

// Levenshtein's distance, with the swap of two neighbours counted as one.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

/// " Numbers have a point, not a comma: 0.5" for a text that is a number except for that.
std::string advice_on_comma(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return "";
  text[comma] = '.';
  return parse_number<double>(text) ? fmt::format(". A number has a point, not a comma: {}", text) : "";
}

/// Converts a number with a unit to code units.
GivenSetting in_code_units(const Setting& setting, GivenSetting given, const UnitSystem& units) {
  const std::string* const text = given.text();
  if (setting.dimension == Dimension::none || !text) return given;
  const Understood<double> quantity = read_quantity(*text, setting.dimension, units);
  if (!quantity.value)
    fail(given, quantity.complaint + advice_on_comma(*text) + (setting.also.starts_with("or ") ? ", " + setting.also : ""));
  given.shown += fmt::format(", {} in code units", *quantity.value);
  given.value = *quantity.value;
  return given;
}

/// A value that is not TOML is a bare text, unless it begins with brackets or quotes: then it was meant to be TOML.
void require_toml(const GivenSetting& given) {
  const bool was_meant = !given.raw.empty() && std::string("{[\"'").find(given.raw.front()) != std::string::npos;
  if (given.not_toml.empty() || !was_meant) return;
  throw ConfigError(
      fmt::format("{}: {}.{} = {}: not valid TOML: {}. Numbers need a digit before the point, and names with a space quotes, "
                  "as {{halo = 0.5, \"halo 1\" = 0.2}}",
                  given.where, given.section, given.name, given.raw, given.not_toml));
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

std::string full_name(const GivenSetting& given) {
  return fmt::format("{}{}{} = {}", given.section, given.section.empty() ? "" : ".", given.name, given.shown);
}

void fail(const GivenSetting& given, const std::string& must) {
  throw ConfigError(fmt::format("{}: {}: {}", given.where, full_name(given), must));
}

std::string what_is_allowed(const Setting& setting) {
  const bool is_text = std::holds_alternative<std::string>(setting.default_value);
  std::string words;
  if (std::holds_alternative<bool>(setting.default_value)) {
    words = "true or false";
  } else if (is_text) {
    const char* const any = setting.default_value == Value("") ? "a text" : "a text that is not empty";
    words = setting.allowed.empty() ? any : fmt::format("one of {}", fmt::join(setting.allowed, ", "));
  } else if (std::holds_alternative<NumberTable>(setting.default_value)) {
    words = "a table of numbers";
  } else {
    words = number_in_words(setting);
  }
  return setting.also.empty() ? words : words + ", " + setting.also;
}

Value accept(const Setting& setting, const GivenSetting& original, const UnitSystem& units) {
  if (!std::holds_alternative<std::string>(setting.default_value)) require_toml(original);
  const GivenSetting given = in_code_units(setting, original, units);
  std::optional<Value> value;
  if (std::holds_alternative<std::string>(setting.default_value)) {
    value = as_text(setting, given);
  } else if (std::holds_alternative<bool>(setting.default_value)) {
    value = as_true_or_false(given);
  } else if (std::holds_alternative<double>(setting.default_value)) {
    value = std::holds_alternative<GivenTable>(given.value) ? as_table(setting, given, units) : as_number(setting, given);
  } else if (std::holds_alternative<NumberTable>(setting.default_value)) {
    value = as_table(setting, given, units);
  } else {
    value = as_whole_number(setting, given);
  }
  if (value) return *value;
  std::string hint;
  if (const std::string* const text = given.text()) {
    const std::string near = nearest_name(*text, setting.allowed);
    hint = near.empty() ? advice_on_comma(*text) : fmt::format(" (did you mean \"{}\"?)", near);
  }
  fail(given, fmt::format("must be {}{}", what_is_allowed(setting), hint));
}

double number_among(const SettingValues& values, const std::vector<Setting>& settings, const std::string& owner, const std::string& name) {
  return among<double>(values, settings, owner, name);
}

const std::string& text_among(const SettingValues& values, const std::vector<Setting>& settings, const std::string& owner,
                              const std::string& name) {
  return among<std::string>(values, settings, owner, name);
}

std::string name_in_toml(const std::string& name) {
  const bool is_bare =
      !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return is_bare ? name : quoted(name);
}

std::string to_toml(const GivenTable& table) {
  std::string text;
  for (const auto& [name, entry] : table) {
    const std::string value = std::visit([](const auto& one) { return to_toml(Value(one)); }, entry);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name_in_toml(name), value);
  }
  return "{" + text + "}";
}

std::string to_toml(const Value& value) {
  if (const auto* table = std::get_if<NumberTable>(&value)) return to_toml(GivenTable(table->begin(), table->end()));
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* choice = std::get_if<bool>(&value)) return *choice ? "true" : "false";
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *whole);
  std::string number = fmt::format("{}", std::get<double>(value));
  if (number.find_first_of(".en") == std::string::npos) number += ".0";
  return number;
}

std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, wrong.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wrong, name);
    if (distance < best_distance && distance < std::min(wrong.size(), name.size())) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& name) { return name.empty() ? "" : fmt::format(" (did you mean {}?)", name); }

std::string suggestion(const std::string& wrong, const std::vector<std::string>& names) { return did_you_mean(nearest_name(wrong, names)); }

}  // namespace grove
