// The configuration as a TOML file with comments.
#pragma once

#include <string>
#include <string_view>

#include "src/config/config_table.hpp"

namespace grove {

/// `config` as a complete TOML file: every key of `table` with its value, meaning and what is allowed; keys that do not apply (those of
/// other generators, integrators, methods and openings) as comments; galaxies with all their components. Parsing it gives the same Config
/// bit for bit.
std::string print_config(const Config& config, const ConfigTable& table = config_table());
/// Whether `text` is such a file or the beginning of one.
bool is_printed_config(std::string_view text);

}  // namespace grove
