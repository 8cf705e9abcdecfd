// The configuration as a TOML file with comments.
#pragma once

#include <string>
#include <string_view>

namespace grove {

struct Config;
struct ConfigTable;

/// `config` as a complete TOML file: every key with its value, meaning and what is allowed; keys that do not apply (those of other
/// generators, integrators, methods and openings) as comments. Parsing it gives the same Config bit for bit.
std::string print_config(const Config& config);
/// Whether `text` is such a file or the beginning of one.
bool is_printed_config(std::string_view text);
/// As above, with the keys of another table than config_table().
std::string print_config(const Config& config, const ConfigTable& table);

}  // namespace grove
