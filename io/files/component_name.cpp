#include "io/files/component_name.hpp"

#include <fmt/format.h>

#include "io/files/printable.hpp"

namespace grove {

bool is_component_name(const std::string& name) {
  return !name.empty() && name.size() <= longest_component_name && printable_line(name, name.size() + 1) == name;
}

std::string rule_of_component_names() {
  return fmt::format("a name has 1 to {} bytes, in one line of printable characters, without spaces at its ends", longest_component_name);
}

}  // namespace grove
