// Whether positions in 32 bits are too coarse for the particles.
#pragma once

#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"

namespace grove {

/// A sentence where the particles come from numbers of 32 bits, and one where output.single_precision writes such numbers, that are farther
/// apart than a tenth of the softening or, without one, of the mean distance of the particles. `is_read`: the particles are those of
/// initial_conditions.file. Collective.
std::vector<std::string> notes_on_rounded_positions(const ParticleSet& particles, const Config& config, bool is_read,
                                                    const Communicator& comm);

}  // namespace grove
