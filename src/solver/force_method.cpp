#include "src/solver/force_method.hpp"

#include <tuple>

#include "kernels/base/named_rows.hpp"
#include "src/solver/force_methods.hpp"

namespace grove {

const std::vector<ForceMethod>& force_methods() {
  static const std::vector<ForceMethod> table =
      std::apply([](const auto&... method) { return std::vector<ForceMethod>{method.info()...}; }, ForceMethods{});
  return table;
}

std::vector<std::string> method_names() { return names_of(force_methods()); }

bool walks_trees(const std::string& method) {
  const ForceMethod* const found = find_named(force_methods(), method);
  return found && found->walks_trees;
}

}  // namespace grove
