// The force methods' names and kinds, and when direct summation takes less time than a tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/gravity/gravity_parameters.hpp"

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

/// Whether the methods `fmm` and `tree` use direct summation for `particles` in all. On CPU cores, where a tree pays earlier, up to an
/// eighth of gravity.all_pairs_up_to; never on several ranks, nor with several softening lengths.
bool uses_direct_summation(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu);
/// Tells the user so; empty if a tree is walked.
std::string direct_summation_advice(const GravityParameters& gravity, std::uint64_t particles, int ranks, bool on_gpu);

}  // namespace grove
