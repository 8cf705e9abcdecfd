#include "decomposition/ranks/node_flag.hpp"

namespace grove {

NodeFlag::NodeFlag(const Communicator& comm) : node_(comm.node()) {
  const MPI_Aint own_bytes = node_.is_root() ? sizeof(int) : 0;
  int* own = nullptr;
  check_mpi(MPI_Win_allocate_shared(own_bytes, sizeof(int), MPI_INFO_NULL, node_.raw(), static_cast<void*>(&own), &window_),
            "MPI_Win_allocate_shared");
  MPI_Aint bytes = 0;
  int unit = 0;
  check_mpi(MPI_Win_shared_query(window_, 0, &bytes, &unit, static_cast<void*>(&flag_)), "MPI_Win_shared_query");
  if (own_bytes > 0) std::atomic_ref<int>(*flag_).store(0);
  node_.barrier();
}

NodeFlag::~NodeFlag() { MPI_Win_free(&window_); }

}  // namespace grove
