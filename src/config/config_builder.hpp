// From given keys to a checked Config.
#pragma once

#include <string>
#include <vector>

#include "src/config/config_table.hpp"

namespace grove {

struct ReadInfo;

/// Makes a Config from the keys in a `file`, called `name` in messages, and the `overrides`. `table` has all keys that exist. Checks and
/// throws as parse_config().
Config build_config(const std::string& name, const std::vector<GivenSetting>& file, const std::vector<GivenSetting>& overrides,
                    const ConfigTable& table, const ReadInfo* in_file = nullptr);

/// As given_input() of config.hpp.
GivenInput given_input(const std::vector<GivenSetting>& file, const std::vector<GivenSetting>& overrides);

}  // namespace grove
