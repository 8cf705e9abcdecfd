// The table of all keys of the configuration. Parsing, checks, defaults, overrides, --print-config, JSON and docs/configuration.md are
// loops over it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/base/setting.hpp"
#include "src/config/config.hpp"

namespace grove {

/// The condition for a key to have an effect: another key has one of these values.
struct Condition {
  std::string name;                 ///< of the other key, whose value is a text
  std::vector<std::string> values;  ///< any of these
  std::string section = {};         ///< of the other key; empty: the same
};

/// A key and the place in Config that it stands for.
struct ConfigSetting {
  std::string section;
  Setting setting;
  std::function<void(Config&, const Value&)> set;  ///< takes a value of the setting's type
  std::function<Value(const Config&)> get;
  std::optional<Condition> only_with = {};  ///< without it, the key always has an effect
  bool is_shorthand = false;                ///< its meaning is in the values of other keys; shown as a comment
  std::optional<Condition> also_with = {};  ///< must hold, too

  const std::string& section_of(const Condition& condition) const { return condition.section.empty() ? section : condition.section; }
};

/// When the key has an effect: "only with opening = relative". Empty: always.
std::string conditions_in_words(const ConfigSetting& row);

/// A function that adds a key for a member of one section of Config: add(member, name, meaning, more, only_with). The default of the key is
/// what a fresh Config has. `more` says by name what else there is to say of the key: range, allowed values, dimension.
template <class Section>
auto rows_of(std::vector<ConfigSetting>& rows, Section Config::*section, const std::string& section_name) {
  return [&rows, section, section_name](auto member, std::string name, std::string meaning, Setting more = {},
                                        std::optional<Condition> only_with = {}) {
    using Type = std::decay_t<decltype(Section{}.*member)>;
    static const Config fresh;
    more.name = std::move(name);
    more.meaning = std::move(meaning);
    more.default_value = fresh.*section.*member;
    rows.push_back({section_name, std::move(more),
                    [=](Config& config, const Value& value) { config.*section.*member = std::get<Type>(value); },
                    [=](const Config& config) { return Value(config.*section.*member); }, std::move(only_with)});
  };
}

struct ConfigSection {
  std::string name;
  std::string meaning;  ///< one line
};

/// A key whose value is the name of a row in another table (a generator, an integrator). Each row has settings of its own: they are keys of
/// the same section and have an effect with this row alone. Rows may share names of settings.
struct ConfigChoice {
  struct Row {
    std::string name;
    std::string meaning;  ///< one line
    std::string source;   ///< the paper, author year; may be empty
    std::vector<Setting> settings;
  };
  std::string section;
  std::string name;  ///< of the key; in messages it is also the word for a row: "generator merger"
  std::vector<Row> rows;
  /// Where Config has the values of the chosen row's settings.
  std::function<SettingValues&(Config&)> values;
  std::string like = {};  ///< a section before it with the same rows, where they are explained; empty: here
};

/// The name that earlier versions of Grove had for a key.
struct FormerName {
  std::string section;
  std::string before;
  std::string now;
  std::optional<double> unset = {};  ///< the value that meant "not given"

  bool is_unset(const GivenSetting& given) const;
};

struct ConfigTable {
  std::vector<ConfigSection> sections;  ///< in the order in which they are printed
  std::vector<ConfigSetting> settings;  ///< all keys, except those of the choices' rows
  std::vector<ConfigChoice> choices;
  std::vector<FormerName> former_names = {};

  /// The key section.name, or null.
  const ConfigSetting* find(const std::string& section, const std::string& name) const;
  /// The row whose former name is section.name, or null.
  const FormerName* find_former(const std::string& section, const std::string& name) const;
};

/// The table of the program. To add a key, add a line in config_table.cpp; a key of one generator or integrator stands in that one's entry.
const ConfigTable& config_table();

/// The sections of external potentials, and their members in Config.
const std::vector<std::pair<std::string, ExternalParameters Config::*>>& external_sections();

/// A key of [gravity] for a parameter of one opening criterion or softening kernel. Its value is in GravityParameters::parameters.
ConfigSetting gravity_parameter(Setting setting, Condition only_with);

/// True for the keys of [initial_conditions] that say how to read a file, except `file` itself.
bool belongs_to_files(const ConfigSetting& row);

/// True for the keys of [initial_conditions] that say how to generate: generator, n, seed, recentre.
bool belongs_to_generators(const ConfigSetting& row);

/// The condition that keeps the key from having an effect in `config`: its own or one of the key on which it depends. Null: none.
const Condition* broken_condition(const ConfigTable& table, const ConfigSetting& row, const Config& config);

/// Whether the key has an effect in `config`: its conditions hold, a table of numbers is not empty and, in [initial_conditions], it belongs
/// to the chosen source.
bool applies(const ConfigTable& table, const ConfigSetting& row, const Config& config);

/// The name of the row that `config` chooses; empty for the generator when the particles come from a file.
std::string chosen_name(const ConfigTable& table, const ConfigChoice& choice, const Config& config);

}  // namespace grove
