// The number of threads of each rank on a node that several ranks share.
#pragma once

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// The number of threads of one of `local_ranks` ranks on a node with `node_cores` cores: an equal share of the cores, at most the
/// `own_cores` on which the rank may run, and at least one.
int threads_per_rank(int own_cores, int node_cores, int local_ranks);

/// Sets the number of OpenMP threads of this rank to threads_per_rank(), unless the user has set OMP_NUM_THREADS: ranks with a thread on
/// every core each would slow each other down by a large factor.
void share_cores(const Communicator& comm);

}  // namespace grove
