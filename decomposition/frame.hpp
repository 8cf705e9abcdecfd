// Step 2 (docs/architecture.md): the cube of the keys and the scale of the trees, the same on all ranks.
#pragma once

#include <vector>

#include "decomposition/communicator.hpp"
#include "kernels/particles/particle_sort.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// The cube of this step's keys and the scale of its trees: the same on all ranks.
struct Frame {
  /// What a rank holds before the exchange.
  struct Share {
    double count = 0;  ///< particles
    double work = 0;   ///< sum of their work
  };
  KeyCube cube;
  double lead = 0;  ///< keys are those of the positions after this time (see ParticleKeys)
  TreeScale scale;
  std::vector<Share> shares;  ///< [ranks]
  double mass = 0;            ///< of all particles
  double extent = 0;          ///< longest side of the box around all particles
  bool has_outliers = false;  ///< the cube does not hold all particles
  int steps_kept = 0;         ///< since the cube was found, or a sample has confirmed it
  bool is_finite = true;      ///< all positions and masses are finite; otherwise nothing else is set
};

/// The longest side of the box around all ranks' particles [code units]; 0 without particles. All positions are finite. Collective;
/// synchronises.
template <class Space>
double find_extent(Space& space, const Communicator& comm, const Particles<Space>& particles);

/// Finds the frame of all ranks' particles. The cube encloses all of them, unless outliers (less than 1 %) would make it so large that too
/// few key bits are left for the others. Then it ends at 1024 times the median distance from the median position, or at 4 times the
/// distance that 99 % do not exceed, whichever is larger. Both distances are those of a sample of 1024 particles. Collective; synchronises.
///
/// All of this is of the positions after the time `lead`, whose keys are wanted. Where some of these are outliers the frame is that of the
/// present positions, without a lead.
///
/// On several ranks and on a GPU the cube of the frame `previous` is kept as long as it serves: with it the borders of domains stay where
/// they are, and no sample has to come to the host.
template <class Space>
Frame find_frame(Space& space, const Communicator& comm, const Particles<Space>& particles, const Frame& previous = {}, double lead = 0);

}  // namespace grove
