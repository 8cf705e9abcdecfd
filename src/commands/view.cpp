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
#include "src/view/view_server.hpp"

namespace grove {

namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::string directory;
  int port = 8080;
};

/// The runs beside a directory that is not there, whose name may be a mistake.
std::string others_beside(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory.parent_path(), ignored))
    if (fs::exists(entry.path() / used_parameters_file, ignored)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  constexpr std::size_t most = 5;
  if (names.size() > most) names.resize(most);
  return names.empty() ? "no run is beside it" : fmt::format("beside it are the runs {}", fmt::join(names, ", "));
}

std::string how_to_open(const RunFiles& files, int port, const std::string& path) {
  const char* const user = std::getenv("USER");
  return fmt::format(
      "live view of {}{}\n"
      "  open        http://localhost:{}{}\n"
      "  from afar   ssh -N -L {}:127.0.0.1:{} {}@{}    on your own machine, then the same address there\n"
      "Ctrl-C ends it.\n",
      printable_line(files.directory().string(), 1000),
      files.is_there()
          ? ""
          : printable_line(", which is not there yet: the page waits until a run makes it; " + others_beside(files.directory())),
      port, path, port, port, printable_line(user && *user ? user : "USER"), printable_line(host_name()));
}

int view(const ViewOptions& options, const Communicator& comm) {
  comm.agree([&] {
    if (comm.size() > 1) throw ConfigError("grove view is one process: start it without mpirun, or with one rank");
    if (options.directory.empty()) throw ConfigError("OUTPUT_DIR is required: the output directory of a run");
    std::error_code unknown;
    const auto status = fs::status(options.directory, unknown);
    if (fs::exists(status) && !fs::is_directory(status))
      throw ConfigError(options.directory + ": is no directory; name the output directory of a run");
  });
  const StopSignals signals;
  const RunFiles files(options.directory);
  ViewServer server(files);
  const int port = server.bind(options.port);
  fmt::print("{}", how_to_open(files, port, server.path()));
  std::fflush(stdout);
  server.serve([] { return StopSignals::received() != 0; });
  return 0;
}

}  // namespace

CommandAction declare_view(CLI::App& app) {
  auto options = std::make_shared<ViewOptions>();
  app.add_option("OUTPUT_DIR", options->directory, "output directory of a run that is at work, has ended, or has yet to begin");
  app.add_option("--port", options->port, "port on this machine; 0 takes a free one [8080]")->check(whole_number(0, 65535))->type_name("N");
  app.footer(
      "Nothing is written, and only this machine is served: from another one, open a tunnel with the ssh line that is printed. The key in\n"
      "the address keeps other users of this machine out. docs/live_view.md says what is shown.");
  return [options](const Communicator& comm) { return view(*options, comm); };
}

}  // namespace grove
