// Which ways messages between GPUs may take: see transport.hpp.
#pragma once

#include <string>

namespace grove {

/// Which ways are allowed between GPUs.
enum class TransportWay {
  automatic,  ///< the fastest that there is, for each pair of ranks
  direct,     ///< GPU to GPU, and nothing else
  mpi,        ///< an MPI that knows GPU memory, and nothing else
  staged      ///< through pinned host memory
};

/// The way of that name: "auto", "direct", "mpi" or "staged". Throws ConfigError for another.
TransportWay transport_way_named(const std::string& name);

}  // namespace grove
