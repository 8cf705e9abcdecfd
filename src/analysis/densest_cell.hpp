// The densest cell of an adaptive grid: where a snapshot has its nucleus, also beside another galaxy or with particles far away.
#pragma once

#include <cstdint>

#include "decomposition/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "kernels/space/vector.hpp"
#include "src/analysis/groups.hpp"

namespace grove {

struct DensestCell {
  Double3 middle;
  double side = 0;  ///< of the cube; 0 where all of its particles are at one place
};

/// The cell of the highest density of mass among those with at least `least` particles; of number, where `all` has no mass.
///
/// The cube around all particles is divided into 27. Each part with enough particles becomes the cube around these and is divided again,
/// until none is left. So a particle far away costs a level or two, whatever its distance. Needs the particles to be counted once a level,
/// four bytes for each of them, and no order of them: the result is the same on any number of ranks. Collective.
/// @param least  from 1 to the number of particles; the number of cells of a level is at most their ratio
DensestCell densest_cell(const ParticleSet& particles, const Group& all, std::uint64_t least, const Communicator& comm);

}  // namespace grove
