// A setting: one key of the configuration, with its type, default, range and meaning. Sections and generators are lists of settings.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace grove {

struct UnitSystem;

/// Numbers with names: {halo = 1.0, disc = 0.4}.
using NumberTable = std::map<std::string, double>;
/// A table as the user gave it: a number may be a text with a unit, {halo = "1 kpc"}.
using GivenTable = std::map<std::string, std::variant<double, std::string>>;
/// The value of a key: a whole number, a number, a text, true or false, or a table of numbers.
using Value = std::variant<std::uint64_t, double, std::string, bool, NumberTable>;

/// Which numbers a key accepts; always finite ones only.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_included = true;
};
inline constexpr Range any_number{};
inline constexpr Range positive{0.0, std::numeric_limits<double>::infinity(), false};
inline constexpr Range not_negative{0.0};

/// What a number measures, by which its unit is known.
enum class Dimension : std::uint8_t { none, length, mass, time, velocity, density };

/// One line of a table of keys; everything Grove does with a key is derived from it.
struct Setting {
  std::string name = {};
  Value default_value = {};               ///< the default; its alternative is the key's type
  Range range = {};                       ///< for numbers
  std::string meaning = {};               ///< one line, shown by --print-config and --help
  std::vector<std::string> allowed = {};  ///< for texts: the values there are; empty: any text, but "" only where it is the default
  std::string also = {};                  ///< anything else that is allowed, in words
  Dimension dimension = Dimension::none;  ///< of a number that may also be a text with a unit, as "3 Gyr"
  bool takes_table = false;               ///< for numbers: a table of such numbers is allowed, too
};

/// Values of settings, by name.
using SettingValues = std::map<std::string, Value>;

/// A key as the user gave it, before it was checked.
struct GivenSetting {
  std::string section;  ///< as in a file: galaxies.mine."stellar halo"; empty: the key stands outside all sections
  std::string name;     ///< empty: the header of the section itself
  std::variant<std::monostate, std::int64_t, double, std::string, bool, GivenTable> value;  ///< monostate: a TOML type no key has
  std::string shown;                                                                        ///< the value as shown in messages
  std::string where;                                                                        ///< "run.toml:7" or "command line"
  std::string raw = {};       ///< the bare text, when given on the command line
  std::string not_toml = {};  ///< why `raw` is no TOML; empty: it is
  bool from_command_line = false;
  std::vector<std::string> path = {};  ///< of a section inside [galaxies]: {"mine", "stellar halo"}

  /// The value, if it is a text; else null.
  const std::string* text() const { return std::get_if<std::string>(&value); }
  /// Whether the value is this text.
  bool says(std::string_view words) const { return text() && *text() == words; }
};

/// "section.name = value", as it appears in messages.
std::string full_name(const GivenSetting& given);
/// Throws ConfigError: place, name and value of the setting, and what it must be.
[[noreturn]] void fail(const GivenSetting& given, const std::string& must);

/// What `setting` accepts, in words: "a number > 0", "one of geometric, barnes".
std::string what_is_allowed(const Setting& setting);

/// Checks type and range, and converts numbers with a unit to code units, those of `units`. Whole numbers pass as numbers, and numbers
/// without a fraction (1e6) as whole ones; on the command line every value can be a text. Throws ConfigError that names place, key, value
/// and what is allowed.
Value accept(const Setting& setting, const GivenSetting& given, const UnitSystem& units);

/// A number or a text among `values` or, if it is missing there, its default in `settings`, which must outlive the result. Throws
/// std::logic_error that names `owner` ("generator disc") when there is no setting of that name and type.
double number_among(const SettingValues& values, const std::vector<Setting>& settings, const std::string& owner, const std::string& name);
const std::string& text_among(const SettingValues& values, const std::vector<Setting>& settings, const std::string& owner,
                              const std::string& name);

/// The value as TOML: numbers with as many digits as it takes to read the same bits back.
std::string to_toml(const Value& value);
std::string to_toml(const GivenTable& table);
/// The name as a key in TOML: in quotes where it needs them.
std::string name_in_toml(const std::string& name);

/// The name nearest to `wrong` by edit distance; empty when none is near.
std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names);
/// A name as a suggestion in messages, " (did you mean theta?)"; empty without one.
std::string did_you_mean(const std::string& name);
/// The nearest name as a suggestion; empty when none is near.
std::string suggestion(const std::string& wrong, const std::vector<std::string>& names);

}  // namespace grove
