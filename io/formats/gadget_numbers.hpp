// Checks of the numbers of a GADGET-like snapshot: zeros where nothing was written, and particles that fill the box.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/gadget_layout.hpp"
#include "io/formats/read_info.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Refuses a dataset of several positions that are all 0. Adds notes to the root's `info` on positions, velocities and masses that look
/// unwritten, and on particles that fill the box. `particles`: this rank's rows. Collective; throws AgreedError (exit code of DataError).
void check_numbers(const GadgetLayout& layout, const ParticleSet& particles, ReadInfo& info, const Communicator& comm);

}  // namespace grove
