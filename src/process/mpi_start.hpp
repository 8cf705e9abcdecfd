// Starts MPI.
#pragma once

namespace grove {

/// Starts MPI with threads. Throws SystemError, also where a Grove without MPI is started several times at once.
/// `may_spawn`: whether others in this process may start further ones with MPI, for which it needs a daemon.
void start_mpi(bool may_spawn);

}  // namespace grove
