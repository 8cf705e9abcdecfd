// How many threads each rank uses on a node that several ranks share.
#pragma once

#include "decomposition/communicator.hpp"

namespace grove {

/// The number of threads for a rank that may run on `own_cores` cores of a node with `node_cores`, which it shares with `local_ranks` ranks
/// in all: an equal part of the node, but no more than it may run on, and at least one.
int threads_per_rank(int own_cores, int node_cores, int local_ranks);

/// Sets the number of OpenMP threads of this rank that way, unless the user has set OMP_NUM_THREADS: ranks that each start a thread on
/// every core slow each other down a hundredfold.
void share_cores(const Communicator& comm);

}  // namespace grove
