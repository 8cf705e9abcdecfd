// Step 5 (docs/development/overview.md): builds the octree of a rank over its sorted particles.
#pragma once

#include "kernels/tree/tree.hpp"

namespace grove {

/// Builds the links of `tree` over particles sorted by key; compute_moments() sets the other parts of the tree. `keys` [particles],
/// ascending. With several classes (tree.class_count), the root has a child for each class that has particles, however few.
/// Sets `tree_level` [particles], unless it is empty: the highest level of a cell that can begin at the particle. This is one more than
/// the deepest level of a cell that the particle shares with the previous particle; 0 for the first particle. The tree can be rebuilt from
/// it alone. It does not yet say where groups of targets begin: see choose_target_groups(). Synchronises once. Throws SystemError if there
/// is not enough memory.
template <class Space>
void build_tree(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree, View<std::uint8_t> tree_level = {});

/// Builds the same links once more, from the `tree_level` that build_tree() has set, and from the tree's classes (class_count,
/// class_begin). Synchronises once. Throws SystemError if there is not enough memory.
template <class Space>
void rebuild_tree(Space& space, View<const std::uint8_t> tree_level, Tree<Space>& tree);

}  // namespace grove
