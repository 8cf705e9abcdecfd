// The configuration as a TOML file with comments.
#pragma once

#include <string>

namespace grove {

struct Config;

/// `config` as a complete TOML file: every key with its value, meaning and what is allowed; keys that do not apply (those of other
/// generators, methods and openings) as comments. Parsing it gives the same Config bit for bit.
std::string print_config(const Config& config);

}  // namespace grove
