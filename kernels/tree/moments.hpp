// Step 6 (docs/architecture.md): particles add to the geometry and moments of their leaf, and it adds to those of all cells above.
#pragma once

#include "kernels/tree/target_groups.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// Fills geometry and multipole of all cells of `tree` from `particles` (position and mass, sorted as the tree's), and the least
/// acceleration from the last ones, in the unit that opening criteria use. All of it is that of the particles as they are, wherever they
/// were when the tree was built. Sums run in an order fixed by the tree: in FP64 for masses, centres and quadrupoles, in FP32 for the terms
/// of expansions of order 4 and 5. Finds what `groups` asks for, too, in small trees at the same time. Asynchronous. Throws SystemError when
/// memory is short.
template <class Space>
void compute_moments(Space& space, View<const Double4> particles, const LastAccelerations& last_acceleration, const TreeScale& scale,
                     Tree<Space>& tree, LeastInGroups groups = {});

}  // namespace grove
