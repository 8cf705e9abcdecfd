// grove: parses the command line, starts MPI, runs one command, and turns exceptions into one message and an exit code.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>

#include "kernels/space/error.hpp"
#include "src/commands/command.hpp"
#include "src/run/threads.hpp"
#include "src/version.hpp"

namespace {

using namespace grove;

constexpr int exit_usage = 2;

/// The rank that the launcher gave this process, known before MPI is there; 0 without a launcher.
int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  return 0;
}

/// A mistake in the command line, printed once over all ranks.
int refuse(const CLI::App& app, const std::string& mistake) {
  if (launched_rank() != 0) return exit_usage;
  std::string command = app.get_name();
  for (auto chosen = app.get_subcommands(); !chosen.empty(); chosen = chosen.front()->get_subcommands())
    command += " " + chosen.front()->get_name();
  fmt::print(stderr, "grove: error: {}\n'{} --help' shows what is allowed\n", mistake, command);
  return exit_usage;
}

/// The mistake in the names of command and generator, which come first; empty if there is none.
std::string wrong_name(const CLI::App& app, int argc, char** argv) {
  std::string before = "grove";
  const CLI::App* level = &app;
  for (int i = 1;; ++i) {
    const auto known = level->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty() || (i < argc && argv[i][0] == '-')) return "";
    std::string names;
    for (const CLI::App* command : known) names += (names.empty() ? "" : ", ") + command->get_name();
    if (i == argc) return fmt::format("{} needs one of {}", before, names);
    const auto named = std::find_if(known.begin(), known.end(), [&](const CLI::App* command) { return command->get_name() == argv[i]; });
    if (named == known.end()) return fmt::format("unknown name '{}' after '{}': allowed are {}", argv[i], before, names);
    level = *named;
    before += fmt::format(" {}", argv[i]);
  }
}

/// Throws if srun has started several processes that MPI sees as single ones.
void require_one_world(const Communicator& comm) {
  const char* started = std::getenv("SLURM_STEP_NUM_TASKS");
  if (!started || std::atoi(started) <= 1 || comm.size() > 1 || std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMI_SIZE")) return;
  if (launched_rank() != 0) throw AgreedError("", exit_usage);
  throw ConfigError(fmt::format("srun started {} processes that MPI sees as single ones: use 'srun --mpi=pmix' or mpirun", started));
}

/// Prints the message on the rank that has it. An error that the other ranks do not know of ends them as well.
int report(const std::exception& error, const Communicator& comm) {
  const int code = exit_code_of(error);
  const bool agreed = dynamic_cast<const AgreedError*>(&error) != nullptr;
  if (!agreed || (comm.is_root() && *error.what())) {
    fmt::print(stderr, "grove: error: {}{}\n", !agreed && comm.size() > 1 ? fmt::format("rank {}: ", comm.rank()) : "", error.what());
    std::fflush(stderr);
  }
  if (!agreed && comm.size() > 1) MPI_Abort(MPI_COMM_WORLD, code);
  return code;
}

int run_action(const CommandAction& action) {
  const Communicator comm(MPI_COMM_WORLD);
  try {
    require_one_world(comm);
    share_cores(comm);
    return action(comm);
  } catch (const std::exception& error) {
    return report(error, comm);
  }
}

int run_under_mpi(int argc, char** argv, const CommandAction& action) {
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
    fmt::print(stderr, "grove: error: MPI cannot be started with threads (MPI_THREAD_FUNNELED)\n");
    return 4;
  }
  const int code = run_action(action);
  MPI_Finalize();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Grove: self-gravity of many particles on many GPUs or CPU cores", "grove");
  app.set_version_flag(
      "--version", [] { return version_text(); }, "version, back ends and libraries");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  std::map<std::string, CommandAction> actions;
  for (const Command& command : commands())
    actions[command.name] = command.declare(*app.add_subcommand(command.name, command.meaning)->group("Commands"));
  // After the commands, which would inherit it.
  app.footer("'grove COMMAND --help' shows the options of a command.");
  if (const std::string wrong = wrong_name(app, argc, argv); !wrong.empty()) return refuse(app, wrong);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& result) {
    if (result.get_exit_code() != 0) return refuse(app, result.what());
    return launched_rank() == 0 ? app.exit(result) : 0;  // prints what --help or --version asks for
  }
  if (app.get_subcommands().empty()) return refuse(app, "grove needs a command");
  return run_under_mpi(argc, argv, actions.at(app.get_subcommands().front()->get_name()));
}
