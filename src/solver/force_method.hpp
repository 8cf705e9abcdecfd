// The force methods' names and kinds, which do not depend on the space.
#pragma once

#include <string>
#include <vector>

namespace grove {

/// One force method; to add one, see force_methods.hpp.
struct ForceMethod {
  std::string name;         ///< value of gravity.method
  bool walks_trees = true;  ///< then it has an opening criterion, which trades speed for accuracy
};

/// The table of force methods, the default first.
const std::vector<ForceMethod>& force_methods();
std::vector<std::string> method_names();

/// Whether there is a method of that name, and it walks trees.
bool walks_trees(const std::string& method);

}  // namespace grove
