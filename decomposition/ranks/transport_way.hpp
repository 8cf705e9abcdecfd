// The ways that messages between GPUs may take: see transport.hpp.
#pragma once

#include <string>

namespace grove {

/// Allowed ways between GPUs.
enum class TransportWay {
  automatic,  ///< the fastest available way for each pair of ranks
  direct,     ///< only from GPU to GPU, all ranks on one node
  shared,     ///< only through host memory that ranks share, all on one node
  mpi,        ///< only by a CUDA-aware MPI
  staged      ///< only by MPI through pinned host memory
};

/// The way of that name: "auto", "direct", "shared", "mpi" or "staged". Throws ConfigError for another.
TransportWay transport_way_named(const std::string& name);

}  // namespace grove
