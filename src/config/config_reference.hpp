// docs/configuration.md, made from the table of keys.
#pragma once

#include <string>

#include "src/config/config_table.hpp"

namespace grove {

/// Markdown that describes each key of `table`, and the generators and integrators with their own keys.
std::string config_reference(const ConfigTable& table);

}  // namespace grove
