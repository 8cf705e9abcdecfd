// grove view: shows a run in a browser, as it goes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "decomposition/ranks/rank_place.hpp"
#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/process/stop_signals.hpp"
#include "src/run/files/run_file_names.hpp"
#include "src/view/run_files.hpp"
#include "src/view/run_state.hpp"
#include "src/view/view_server.hpp"

namespace grove {

namespace {

namespace fs = std::filesystem;

// More lines than this have no colours of their own.
constexpr std::size_t most_runs = 8;

struct ViewOptions {
  std::vector<std::string> directories;
  int port = 8080;
};

/// The first runs in a directory, as "are the runs a, b"; empty where there is none.
std::string runs_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored))
    if (fs::exists(entry.path() / used_parameters_file, ignored)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  constexpr std::size_t most = 5;
  if (names.size() > most) names.resize(most);
  return names.empty() ? "" : fmt::format("are the runs {}", fmt::join(names, ", "));
}

/// A line on a directory. The name of one that is not there may be a mistake.
std::string line_on(const RunFiles& files) {
  std::string words = printable_line(files.directory().string(), 1000);
  if (files.is_there()) return words;
  const std::string beside = runs_in(files.directory().parent_path());
  words += ", which is not there yet: the page waits until a run makes it; ";
  return printable_line(words + (beside.empty() ? "no run is in the same place" : "in the same place " + beside), 2000);
}

/// Throws ConfigError for a path at which no run can be: a file, or a directory with other files. An empty directory may become one.
void require_run(const std::string& directory) {
  std::error_code unknown;
  const auto status = fs::status(directory, unknown);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) throw ConfigError(directory + ": is no directory; name the output directory of a run");
  const RunFiles files(directory);
  if (fs::is_empty(directory, unknown) || has_run(files)) return;
  const std::string inside = runs_in(files.directory());
  throw ConfigError(fmt::format("{}: is not the output directory of a run: it has none of {}, {}, snapshots and pictures{}", directory,
                                used_parameters_file, energy_log_file, inside.empty() ? "" : "; in it " + inside));
}

void require_runs(const std::vector<std::string>& directories) {
  if (directories.empty()) throw ConfigError("OUTPUT_DIR is required: the output directory of a run");
  if (directories.size() > most_runs)
    throw ConfigError(fmt::format("{} directories: one view shows at most {} runs", directories.size(), most_runs));
  std::vector<fs::path> paths;
  for (const std::string& directory : directories) {
    require_run(directory);
    const fs::path path = RunFiles(directory).directory();
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) throw ConfigError(directory + ": is named twice");
    paths.push_back(path);
  }
}

std::string how_to_open(const std::vector<std::string>& directories, int port, const std::string& path) {
  std::vector<std::string> lines;
  for (const std::string& directory : directories) lines.push_back(line_on(RunFiles(directory)));
  const char* const user = std::getenv("USER");
  return fmt::format(
      "live view of {}\n"
      "  open        http://localhost:{}{}\n"
      "  remotely    ssh -N -L {}:127.0.0.1:{} {}@{}    on your own machine, then the same address there\n"
      "Ctrl-C ends it.\n",
      fmt::join(lines, "\n             "), port, path, port, port, printable_line(user && *user ? user : "USER"),
      printable_line(host_name()));
}

int view(const ViewOptions& options, const Communicator& comm) {
  comm.agree([&] {
    if (comm.size() > 1) throw ConfigError("grove view is one process: start it without mpirun, or with one rank");
    require_runs(options.directories);
  });
  const StopSignals signals;
  ViewServer server({options.directories.begin(), options.directories.end()}, comm);
  const int port = server.bind(options.port);
  fmt::print("{}", how_to_open(options.directories, port, server.path()));
  std::fflush(stdout);
  server.serve([] { return StopSignals::received() != 0; });
  return 0;
}

}  // namespace

CommandAction declare_view(CLI::App& app) {
  auto options = std::make_shared<ViewOptions>();
  app.add_option("OUTPUT_DIR", options->directories,
                 "output directory of a run that is at work, has ended, or has yet to begin; several are compared");
  app.add_option("--port", options->port, "port on this machine; 0 takes a free one [8080]")->check(whole_number(0, 65535))->type_name("N");
  app.footer(
      "Nothing is written, and only this machine is served: from another one, open a tunnel with the ssh line that is printed. The key in\n"
      "the address keeps other users of this machine out. docs/live_view.md says what is shown.");
  return [options](const Communicator& comm) { return view(*options, comm); };
}

}  // namespace grove
