// Where this process runs, for error messages.
#pragma once

#include <exception>
#include <string>

namespace grove {

/// The name of this host.
std::string host_name();
/// The number of this process among those of this node, as Open MPI, MPICH or SLURM has told it; 0: none has.
int local_number_of_process();
/// Sets rank and number of ranks of this process, once at the start of the program.
void name_rank(int rank, int size);
/// Sets the device of this rank, e.g. "GPU 3, NVIDIA H200".
void name_device(const std::string& device);
/// "rank 1 on node07 (GPU 3, NVIDIA H200)"; empty before name_rank().
const std::string& place_of_this_rank();
/// The same; before name_rank(), as in programs that use the library, "rank 1" with its number.
std::string place_or_number(int own_rank);

/// The error message for the user. With several ranks it begins with the place, unless the error is in the user's input.
std::string failure_message(const std::exception& error);

}  // namespace grove
