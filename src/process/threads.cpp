#include "src/process/threads.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/base/error.hpp"

namespace grove {

int threads_per_rank(int own_cores, int node_cores, int local_ranks) {
  return std::max(1, std::min(own_cores, node_cores / std::max(1, local_ranks)));
}

void share_cores(const Communicator& comm) {
  if (std::getenv("OMP_NUM_THREADS")) {
    // With too many, the OpenMP library would end the program.
    constexpr int most = 4096;
    if (omp_get_max_threads() > most)
      throw ConfigError(fmt::format("OMP_NUM_THREADS asks for {} threads; at most {} are possible", omp_get_max_threads(), most));
    return;
  }
  // OpenMP counts the cores this process is bound to; sysconf those of the node.
  omp_set_num_threads(threads_per_rank(omp_get_num_procs(), static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)), comm.local_size()));
}

}  // namespace grove
