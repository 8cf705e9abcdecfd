// Step 2 (docs/development/overview.md): the cube of the keys and the scale of the trees.
#pragma once

#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_sort.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// The cube of this step's keys and the scale of its trees; the same on all ranks.
struct Frame {
  /// What a rank holds before the particle exchange.
  struct Share {
    double count = 0;  ///< particles
    double work = 0;   ///< sum of their work
  };
  KeyCube cube;
  double lead = 0;  ///< keys are those of the positions after this time [code units] (see ParticleKeys)
  TreeScale scale;
  std::vector<Share> shares;  ///< [ranks]
  double mass = 0;            ///< of all particles
  double common_mass = 0;     ///< mass of each particle; 0 if masses differ
  double extent = 0;          ///< longest side of the box around all particles
  bool has_outliers = false;  ///< some particles are outside the cube
  int steps_kept = 0;         ///< trees since the cube was found or confirmed by a sample
  bool is_finite = true;      ///< all positions and masses are finite; if not, only shares and lead are set
};

/// The longest side of the box around all particles of all ranks [code units]; 0 without particles. Positions must be finite. Collective;
/// synchronises.
template <class Space>
double find_extent(Space& space, const Communicator& comm, const Particles<Space>& particles);

/// Finds the frame of the particles of all ranks, at their positions after the time `lead`. The cube encloses all of them, unless outliers
/// (less than 1 %) would leave too few key bits for the others. Then its half edge is 1024 times the median distance from the median
/// position, or 4 times the distance that 99 % do not exceed, whichever is larger; both from a sample of 1024 particles. Collective;
/// synchronises.
///
/// On several ranks and on a GPU the cube of `previous` is kept while it still fits: domain borders then stay in place, and no sample is
/// copied to the host.
template <class Space>
Frame find_frame(Space& space, const Communicator& comm, const Particles<Space>& particles, const Frame& previous = {}, double lead = 0);

}  // namespace grove
