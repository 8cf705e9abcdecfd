// How a row of the table of keys is made for a member of Config.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/config/config_table.hpp"

namespace grove {

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

}  // namespace grove
