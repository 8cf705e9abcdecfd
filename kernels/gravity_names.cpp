#include "kernels/gravity_names.hpp"

namespace grove {

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {"tree", "direct"};
  return names;
}

const std::vector<std::string>& opening_names() {
  static const std::vector<std::string> names = {"geometric", "barnes", "minimal_distance"};
  return names;
}

const std::vector<std::string>& softening_names() {
  static const std::vector<std::string> names = {"plummer", "wendland_c2"};
  return names;
}

}  // namespace grove
