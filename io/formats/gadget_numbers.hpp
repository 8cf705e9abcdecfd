// A last look at the numbers of a GADGET-like snapshot: zeros in the place of what was never written, and a box that is full.
#pragma once

#include <cstdint>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/gadget_layout.hpp"
#include "io/formats/reader.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Refuses a dataset of several positions that are all 0, and adds notes to the root's `info` on positions, velocities and masses that look
/// as if they were never written, and on particles that fill the box of the file. `begin`: the first row of this rank. Collective. Throws
/// AgreedError (exit code of DataError).
void check_numbers(const GadgetLayout& layout, const ParticleSet& particles, std::uint64_t begin, ReadInfo& info, const Communicator& comm);

}  // namespace grove
