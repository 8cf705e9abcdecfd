// From TOML text and command-line overrides to a list of given keys; only the syntax is checked.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/setting.hpp"

namespace grove {

/// All keys and section headers of a TOML text, in no particular order. Throws ConfigError with `name` and line when it is not TOML.
std::vector<GivenSetting> read_toml(const std::string& text, const std::string& name);

/// One override "section.key=value". A value that is not TOML is a bare text. Throws ConfigError when there is no '.' or '='.
GivenSetting read_override(const std::string& text);

}  // namespace grove
