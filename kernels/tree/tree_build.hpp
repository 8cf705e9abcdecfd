// Step 5: particles fall into the leaves of the rank's octree.
#pragma once

#include "kernels/tree/tree.hpp"

namespace grove {

/// Builds the links of `tree` over particles sorted by key; the rest of it is compute_moments()'s.
/// `keys` [particles], ascending. Synchronises twice. Throws SystemError when memory is short.
template <class Space>
void build_tree(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree);

}  // namespace grove
