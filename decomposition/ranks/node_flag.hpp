// A flag that the ranks of a node share.
#pragma once

#include <mpi.h>

#include <atomic>

#include "decomposition/ranks/communicator.hpp"

namespace grove {

/// One flag for each node, in memory shared by its ranks. It can be raised while other ranks compute or wait in MPI calls.
class NodeFlag {
 public:
  /// Collective. Throws CommunicationError.
  explicit NodeFlag(const Communicator& comm);
  NodeFlag(const NodeFlag&) = delete;
  NodeFlag& operator=(const NodeFlag&) = delete;
  /// Collective.
  ~NodeFlag();

  /// Raises the flag. True for the first rank of the node that does. Not collective; any thread may call it.
  bool raise() noexcept { return std::atomic_ref<int>(*flag_).exchange(1) == 0; }

 private:
  const Communicator node_;  ///< the ranks of the node
  MPI_Win window_ = MPI_WIN_NULL;
  int* flag_ = nullptr;  ///< in the memory of the first rank of the node
};

}  // namespace grove
