// Step 6 (docs/development/overview.md): geometry and moments of leaves from their particles, and of other cells from their children.
#pragma once

#include "kernels/tree/target_groups.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// Computes geometry and multipole of all cells of `tree` from `particles` (position and mass, in the order of the tree), and the least
/// acceleration of each cell from the last accelerations, in the unit that opening criteria use. Present positions are used, also if the
/// tree was built for other positions. The tree determines the order of the sums. They are in FP64 for masses, centres and quadrupoles, and
/// in FP32 for the terms of expansions of order 4 and 5. Also computes what `groups` asks for; in small trees this is the same launch.
/// Asynchronous. Throws SystemError if there is not enough memory.
template <class Space>
void compute_moments(Space& space, View<const Double4> particles, const LastAccelerations& last_acceleration, const TreeScale& scale,
                     Tree<Space>& tree, LeastInGroups groups = {});

}  // namespace grove
