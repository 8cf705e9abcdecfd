// Values of particles that are on other ranks, found by their ids.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// The vectors [3 * ids] of these ids, on whatever rank they are: `share_ids` and `vectors` [3 * share_ids] are sorted by id rank by rank,
/// as sort_by_id() leaves them. Collective.
std::vector<double> vectors_of_ids(const std::vector<std::uint64_t>& ids, const std::vector<std::uint64_t>& share_ids,
                                   const std::vector<double>& vectors, const Communicator& comm);

}  // namespace grove
