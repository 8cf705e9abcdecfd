// The keys of the section [pictures].
#pragma once

#include <vector>

#include "src/config/config_table.hpp"

namespace grove {

/// Adds them.
void add_picture_settings(std::vector<ConfigSetting>& rows);

}  // namespace grove
