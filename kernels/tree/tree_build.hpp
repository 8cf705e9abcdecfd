// Step 5 (docs/architecture.md): particles fall into the leaves of the rank's octree.
#pragma once

#include "kernels/tree/tree.hpp"

namespace grove {

/// Builds the links of `tree` over particles sorted by key; compute_moments() fills the rest of it. `keys` [particles], ascending; with
/// several classes (tree.class_count), the root has a child for each that has particles, however few.
/// Synchronises once. Throws SystemError when memory is short.
template <class Space>
void build_tree(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree);

}  // namespace grove
