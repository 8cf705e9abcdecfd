#include "src/commands/program.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <thread>

#include "decomposition/ranks/rank_place.hpp"
#include "io/files/partial_file.hpp"
#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"
#include "kernels/space/cpu_level.hpp"
#include "src/process/last_words.hpp"
#include "src/process/standard_error.hpp"
#include "src/process/threads.hpp"
#include "src/run/files/same_on_all_ranks.hpp"

namespace grove {

namespace {

int number_in_environment(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return otherwise;
}

/// Throws if srun has started several processes that MPI sees as single ones, as it does if they have no PMI in common. The size that
/// mpirun gives identifies a process that it has started alone within a step of srun.
void require_one_world([[maybe_unused]] const Communicator& comm) {
#ifdef MPI_VERSION  // without MPI, start_mpi() has looked
  const char* started = std::getenv("SLURM_STEP_NUM_TASKS");
  const bool is_alone = std::getenv("OMPI_COMM_WORLD_SIZE") || number_in_environment({"PMI_SIZE"}, 0) == 1;
  if (!started || std::atoi(started) <= 1 || comm.size() > 1 || is_alone) return;
  // Not launched_rank(): MPI, started for this process alone, has set that to 0.
  if (number_in_environment({"SLURM_PROCID"}, 0) != 0) throw AgreedError("", exit_code::setting);
  throw ConfigError(fmt::format("srun started {} processes that MPI sees as single ones: use 'srun --mpi=pmix' or mpirun", started));
#endif
}

int act(const Request& request, const Communicator& comm) {
  require_one_world(comm);
  comm.agree([&] {
    if (!request.mistake.empty()) throw ConfigError(request.mistake);
    require_usable_cpu_level();
  });
  require_same_command_line(request.words, comm);
  if (request.action) share_cores(comm);
  if (!request.action && comm.is_root()) std::fputs(request.text.c_str(), stdout);
  const int code = request.action ? request.action(comm) : 0;
  comm.agree([&] {
    if (comm.is_root()) require_written_output();
  });
  return code;
}

void print_error(const std::string& message) { say_on_stderr("grove: error: " + printable_text(message)); }

/// An error of this rank alone is not caught: see LastWords.
int act_with_others(const Request& request, const Communicator& comm) {
  try {
    return act(request, comm);
  } catch (const AgreedError& error) {
    if (comm.is_root() && *error.what()) print_error(error.what());
    return error.exit_code();
  }
}

}  // namespace

int launched_rank() { return number_in_environment({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}, 0); }

int launched_size() { return number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1); }

void require_written_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw SystemError("standard output could not be written" + (errno != 0 ? ": " + reason_of(errno) : ""));
}

int report_error(const std::exception& error) {
  print_error(error.what());
  return exit_code_of(error);
}

void end_without_others(const std::exception& error) {
  // One rank of each node speaks, unless only others have failed.
  constexpr std::chrono::seconds for_others{1};
  if (local_number_of_process() > 0) std::this_thread::sleep_for(2 * for_others);
  const int code = report_error(error);
  std::this_thread::sleep_for(for_others);
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

int carry_out(const Request& request) {
  const Communicator comm(MPI_COMM_WORLD);
  name_rank(comm.rank(), comm.size());
  const LastWords last_words(comm);
  if (comm.size() > 1) return act_with_others(request, comm);
  try {
    return act_with_others(request, comm);
  } catch (const std::exception& error) {
    print_error(failure_message(error));
    return exit_code_of(error);
  }
}

}  // namespace grove
