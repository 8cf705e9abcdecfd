// Which names a component may have.
#pragma once

#include <cstddef>
#include <string>

namespace grove {

/// Longest name of a component, bytes.
inline constexpr std::size_t longest_component_name = 255;

/// Whether it is one line of printable characters, neither empty nor too long: snapshots and checkpoints keep it as it is.
bool is_component_name(const std::string& name);
/// The rule in words, for messages.
std::string rule_of_component_names();

}  // namespace grove
