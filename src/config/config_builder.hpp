// From given keys to a checked Config.
#pragma once

#include <string>
#include <vector>

#include "src/config/config_table.hpp"

namespace grove {

/// The Config that the keys of a `file`, named `name` in messages, and the `overrides`, which win, make of the keys in `table`. What
/// load_config says of it holds.
Config build_config(const std::string& name, const std::vector<GivenSetting>& file, const std::vector<GivenSetting>& overrides,
                    const ConfigTable& table);

}  // namespace grove
