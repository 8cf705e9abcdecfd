// Step 5 (docs/architecture.md): particles fall into the leaves of the rank's octree.
#pragma once

#include "kernels/tree/tree.hpp"

namespace grove {

/// Builds the links of `tree` over particles sorted by key; compute_moments() fills the rest of it. `keys` [particles], ascending; with
/// several classes (tree.class_count), the root has a child for each that has particles, however few.
/// Sets `tree_level` [particles], unless it is empty: the highest level of which a cell begins at the particle if it is divided so far,
/// which is one more than the deepest level of a cell that the particle shares with the one before it; 0 at the first particle. It tells
/// all that the tree is made of, and so far of no groups of targets: see choose_target_groups(). Synchronises once. Throws SystemError when
/// memory is short.
template <class Space>
void build_tree(Space& space, View<const std::uint64_t> keys, Tree<Space>& tree, View<std::uint8_t> tree_level = {});

/// Builds the same links once more, from what build_tree() has set `tree_level` to, and from the tree's classes (class_count,
/// class_begin). Synchronises once. Throws SystemError when memory is short.
template <class Space>
void rebuild_tree(Space& space, View<const std::uint8_t> tree_level, Tree<Space>& tree);

}  // namespace grove
