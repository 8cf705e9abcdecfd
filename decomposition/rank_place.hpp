// Where this process runs, in words: messages of failures begin with it.
#pragma once

#include <exception>
#include <string>

namespace grove {

/// The name of this host.
std::string host_name();

/// Says, once at the start of the program, which of how many ranks this process is.
void name_rank(int rank, int size);

/// Adds the device of this rank, e.g. "GPU 3, NVIDIA H200", once it is known.
void name_device(const std::string& device);

/// "rank 1 on node07 (GPU 3, NVIDIA H200)"; empty before name_rank().
const std::string& place_of_this_rank();

/// The sentence for the user. Where there are several ranks, it begins with the place, unless the error is a mistake of the user or in the
/// data: these are no fault of a machine.
std::string failure_message(const std::exception& error);

}  // namespace grove
