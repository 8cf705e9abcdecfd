// Particles of all ranks in the order of their ids, and the check that ids are unique.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "decomposition/communicator.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// All particles of all ranks sorted by id: each rank's share in increasing order, ranks one after the other, the same number on
/// every rank to within one (as far as ids differ). All fields that are known travel; each must be known on all ranks that have
/// particles, or on none. Particles of equal id are on one rank, in the order of the rank and place they came from.
/// Collective. Throws AgreedError (exit code of DataError) when a field is known on some ranks only or has a wrong length.
ParticleSet sort_by_id(ParticleSet local, const Communicator& comm);

/// Returns when no id occurs twice over all ranks; `ids` are this rank's, in any order, and may be empty.
/// Collective; the ids are sorted over the ranks, 8 bytes each are exchanged once. Throws AgreedError (exit code of DataError) on all
/// ranks, naming the lowest id that occurs twice and `source`, where the particles came from.
void require_unique_ids(std::span<const std::uint64_t> ids, const std::string& source, const Communicator& comm);

}  // namespace grove
