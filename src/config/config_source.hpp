// From TOML text and command-line overrides to a list of given keys; only the syntax is checked.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/setting.hpp"

namespace grove {

/// The section with sections in it, one for each galaxy, in which are those of its components.
inline constexpr const char* galaxies_section = "galaxies";
/// The value of time.dt with which the run chooses its step.
inline constexpr const char* automatic_dt = "auto";
/// The name of the section inside [galaxies]: galaxies.mine."stellar halo".
std::string galaxy_section_name(const std::vector<std::string>& path);

/// All keys and section headers of a TOML text, in its order. Throws ConfigError with `name` and line when it is not TOML.
std::vector<GivenSetting> read_toml(const std::string& text, const std::string& name);

/// One override "section.key=value"; in [galaxies], names with dots stand in quotes. A value that is not TOML is a bare text. Throws
/// ConfigError when there is no '.' or '='.
GivenSetting read_override(const std::string& text);

}  // namespace grove
