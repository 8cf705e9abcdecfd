// grove: parses the command line, initializes MPI and runs the command.
#include <fcntl.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <mpi.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "io/formats/input_format.hpp"
#include "io/hdf5/hdf5_apart.hpp"
#include "kernels/base/error.hpp"
#include "src/commands/command_mistakes.hpp"
#include "src/commands/program.hpp"
#include "src/process/mpi_start.hpp"
#include "src/process/stop_signals.hpp"
#include "src/run/files/version.hpp"
#include "src/view/sample_cache.hpp"

namespace grove {

// One function for each command, in the file of its name in src/commands. Declares the options on `app`, before MPI is initialized; the
// action is called after they are parsed.
CommandAction declare_run(CLI::App& app);
CommandAction declare_ic(CLI::App& app);
CommandAction declare_check(CLI::App& app);
CommandAction declare_bench(CLI::App& app);
CommandAction declare_info(CLI::App& app);
CommandAction declare_render(CLI::App& app);
CommandAction declare_plot(CLI::App& app);
CommandAction declare_profile(CLI::App& app);
CommandAction declare_compare(CLI::App& app);
CommandAction declare_view(CLI::App& app);

}  // namespace grove

namespace {

using namespace grove;

struct Command {
  const char* name;
  const char* meaning;  ///< one line, shown by --help
  CommandAction (*declare)(CLI::App& app);
};

/// In the order of --help.
constexpr Command commands[] = {
    {"run", "run a simulation, alone or under mpirun", declare_run},
    {"ic", "write initial conditions", declare_ic},
    {"check", "measure force errors against direct summation", declare_check},
    {"bench", "measure the speed of the force evaluation", declare_bench},
    {"info", "show what is in a file of particles or a log of a run", declare_info},
    {"render", "make pictures of files of particles", declare_render},
    {"plot", "draw the logs of a run as one picture", declare_plot},
    {"profile", "measure density, velocities and Lagrangian radii of snapshots", declare_profile},
    {"compare", "compare the particles of two files by their ids", declare_compare},
    {"view", "show a run in a browser, as it goes", declare_view},
};

/// See io/hdf5/hdf5_apart.hpp.
constexpr FileTask file_tasks[] = {{look_task, look_at_gadget}, {sample_task, make_sample}};

/// The request of the command line.
Request parse(CLI::App& app, int argc, char** argv) {
  std::map<std::string, CommandAction> actions;
  for (const Command& command : commands)
    actions[command.name] = command.declare(*app.add_subcommand(command.name, command.meaning)->group("Commands"));
  // After the commands, which would otherwise inherit it.
  app.footer("'grove COMMAND --help' shows the options of a command.");
  Request request;
  request.words.assign(argv + 1, argv + argc);
  std::vector<std::string> words = request.words;
  // 'grove help run' is 'grove run --help'.
  if (!words.empty() && words.front() == "help") {
    std::rotate(words.begin(), words.begin() + 1, words.end());
    words.back() = "--help";
  }
  request.mistake = wrong_name(app, words);
  if (!request.mistake.empty()) return request;
  try {
    // The library takes them from the last to the first.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    if (app.get_subcommands().empty()) request.mistake = "grove needs a command";
  } catch (const CLI::ParseError& result) {
    if (result.get_exit_code() != 0) {
      request.mistake = mistake_of(app, result);
    } else {
      std::ostringstream text;
      app.exit(result, text, text);
      request.text = text.str();
    }
  }
  if (request.mistake.empty() && request.text.empty()) request.action = actions.at(app.get_subcommands().front()->get_name());
  return request;
}

/// A file that the program opens must not get the number of a standard stream that is closed: what is printed would go into it.
void reserve_standard_streams() {
  int file = 0;
  do file = ::open("/dev/null", O_RDONLY);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) ::close(file);
}

/// Mistakes, help and version of a single process need no MPI.
int answer(const Request& request) {
  if (launched_rank() != 0) return request.mistake.empty() ? 0 : exit_code::setting;
  if (!request.mistake.empty()) return report_error(ConfigError(request.mistake));
  std::fputs(request.text.c_str(), stdout);
  try {
    require_written_output();
  } catch (const SystemError& error) {
    return report_error(error);
  }
  return 0;
}

int carry_out_under_mpi(const Request& request) {
  // A run stops in words from here on, not only when it steps.
  std::optional<StopSignals> signals;
  if (request.action && request.words.front() == "run") {
    StopSignals::end_at_once(launched_rank() == 0 ? " before the first step: no file was changed; start the run again" : "");
    signals.emplace();
  }
  try {
    start_mpi(MpiUser::program);
  } catch (const CommunicationError& error) {
    end_without_others(error);
  } catch (const SystemError& error) {
    return launched_rank() == 0 ? report_error(error) : exit_code_of(error);
  }
  const int code = carry_out(request);
  MPI_Finalize();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  std::optional<CLI::App> app;  // what the request refers to
  try {
    carry_out_file_task(argc, argv, file_tasks);
    // Freed arrays return to the system at once. By default glibc keeps blocks of up to 32 MiB.
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
    reserve_standard_streams();
    app.emplace("Grove: self-gravity of many particles on many GPUs or CPU cores", "grove");
    app->set_version_flag(
        "--version", [] { return version_text(); }, "version, back ends and libraries");
    app->get_formatter()->label("SUBCOMMAND", "COMMAND");
    request = parse(*app, argc, argv);
    if (!request.mistake.empty()) request.mistake = with_help(*app, request.mistake);
    if (!request.action && launched_size() == 1) return answer(request);
    // MPI and the threads of a run may crash where they do not get their memory.
    constexpr std::size_t needed_to_begin = std::size_t{288} << 20;
    ::operator delete(::operator new(needed_to_begin));
  } catch (const std::exception& error) {
    // So early that there are no last words, usually for lack of memory. What comes later is not caught: see LastWords.
    std::fprintf(stderr, "grove: error: %s\n", sentence_of(error).c_str());
    return exit_code_of(error);
  }
  return carry_out_under_mpi(request);
}
