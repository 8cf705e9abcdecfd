#include "src/process/mpi_start.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/reachable_ranks.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// Whether mpirun, or srun with its MPI support, has started this process: srun without that starts each rank alone.
bool has_launcher() {
  for (const char* of_rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(of_rank) != nullptr) return true;
  return false;
}

/// While it exists, MPI starts this process alone: without a daemon and without a network, which take Open MPI 0.3 s. It then has no
/// directory of its own either: all such processes would share one, and the first that ends would remove it. These settings are taken back;
/// what Open MPI itself adds to the environment, a program that this one starts inherits.
class StartAlone {
 public:
  StartAlone() {
    for (const auto& [name, value] : {std::pair{"OMPI_MCA_ess_singleton_isolated", "1"},
                                      std::pair{"OMPI_MCA_orte_create_session_dirs", "0"}, std::pair{"OMPI_MCA_pml", "ob1"}}) {
      if (std::getenv(name) != nullptr) continue;
      setenv(name, value, 0);
      set_.push_back(name);
    }
  }
  StartAlone(const StartAlone&) = delete;
  StartAlone& operator=(const StartAlone&) = delete;
  ~StartAlone() {
    for (const char* name : set_) unsetenv(name);
  }

 private:
  std::vector<const char*> set_;
};

}  // namespace

void start_mpi(MpiUser user) {
  const bool is_alone = user == MpiUser::program && !has_launcher();
  // Shared file pointers, which Grove does not use: Open MPI 4.1 overflows a buffer there for paths of 246 bytes and more, and keeps files
  // in the directory of the process.
  setenv("OMPI_MCA_sharedfp", is_alone ? "individual" : "^lockedfile", 0);
  std::optional<StartAlone> alone;
  if (is_alone) alone.emplace();
  int provided = MPI_THREAD_SINGLE, length = 0;
  if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided); code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = "";
    MPI_Error_string(code, text, &length);
    throw SystemError(std::string("MPI cannot be started: ") + text);
  }
  if (provided < MPI_THREAD_FUNNELED) throw SystemError("MPI cannot be started with threads (MPI_THREAD_FUNNELED)");
  // Of a library not all ranks need come here.
  if (user == MpiUser::library) return;
  int size = 1;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  const auto note = [](const std::string& text) { std::fputs(("grove: note: " + text + "\n").c_str(), stderr); };
  if (!all_share_this_node(size)) require_reachable_ranks(MPI_COMM_WORLD, note);
}

}  // namespace grove
