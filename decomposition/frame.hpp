// Step 2 (docs/architecture.md): the cube of the keys and the scale of the trees, the same on all ranks.
#pragma once

#include "decomposition/communicator.hpp"
#include "kernels/particles/particle_sort.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// The cube of this step's keys and the scale of its trees: the same on all ranks.
struct Frame {
  KeyCube cube;
  TreeScale scale;
};

/// Finds the frame of all ranks' particles. The cube encloses all of them, unless outliers (less than 1 %) would make it so large that too
/// few key bits are left for the others. Then it ends at 1024 times the median distance from the median position, or at 4 times the
/// distance that 99 % do not exceed, whichever is larger. Both distances are those of a sample of 1024 particles. Collective; synchronises.
template <class Space>
Frame find_frame(Space& space, const Communicator& comm, const Particles<Space>& particles);

}  // namespace grove
