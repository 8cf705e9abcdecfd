// Particles of all ranks in the order of their ids, and the check that ids are unique.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Sorts the particles of all ranks by id: rank by rank in increasing order, with the same number on every rank to within one (except for
/// equal ids). Particles of equal id are on one rank, in the order of their former ranks and places. Every known field travels; it must be
/// known on all ranks with particles or on none. Collective. Throws AgreedError (exit code of DataError) when a field is known on some
/// ranks only or has a wrong length.
ParticleSet sort_by_id(ParticleSet local, const Communicator& comm);

/// Checks that no id occurs twice on all ranks. `ids` of this rank in any order, possibly none; `source`: where the particles come from.
/// Sorts the ids over the ranks, with one exchange of 8 bytes for each. Collective. Throws AgreedError (exit code of DataError) with
/// `source`, the lowest id that occurs twice, and the `remedy` of the user, if there is one.
void require_unique_ids(std::span<const std::uint64_t> ids, const std::string& source, const Communicator& comm,
                        const std::string& remedy = "");

}  // namespace grove
