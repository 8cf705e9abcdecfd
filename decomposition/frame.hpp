// Step 2: the cube of the keys and the scale of the trees, the same on all ranks.
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

/// Finds the frame of all ranks' particles. The cube encloses them all, unless less than 1 % lie so far out that it would leave too few key
/// bits for the rest: then it ends at 1024 times the median distance from the median position, or at 4 times the distance that 99 % do not
/// exceed, as a sample of 1024 particles has them. Collective; synchronises.
template <class Space>
Frame find_frame(Space& space, const Communicator& comm, const Particles<Space>& particles);

}  // namespace grove
