// Starts MPI.
#pragma once

namespace grove {

/// For whom MPI is started. Others in the process of a library may start further processes with it; a program starts faster without that.
enum class MpiUser { program, library };

/// Starts MPI with threads. Throws SystemError, also where a Grove without MPI is started several times at once, and, on some of the ranks
/// alone, CommunicationError where nodes cannot exchange messages.
void start_mpi(MpiUser user);

}  // namespace grove
