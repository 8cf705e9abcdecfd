// From TOML text and command-line overrides to a list of given keys; only the syntax is checked.
#pragma once

#include <string>
#include <vector>

#include "src/config/setting.hpp"

namespace grove {

/// All keys and section headers of a TOML text, in no particular order. `name` is the file's name for messages.
/// Throws ConfigError with file and line when the text is not TOML.
std::vector<GivenSetting> read_toml(const std::string& text, const std::string& name);

/// One override "section.key=value". The value is read as TOML, and as a bare text when it is not TOML.
/// Throws ConfigError when there is no '.' or '='.
GivenSetting read_override(const std::string& text);

}  // namespace grove
