// Starts MPI.
#pragma once

namespace grove {

/// Starts MPI with threads. Throws SystemError, also where a Grove without MPI is started several times at once.
void start_mpi();

}  // namespace grove
