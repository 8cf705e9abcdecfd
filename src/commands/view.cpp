// grove view: shows a run in a browser, as it goes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "decomposition/ranks/rank_place.hpp"
#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/process/stop_signals.hpp"
#include "src/view/run_files.hpp"
#include "src/view/view_server.hpp"

namespace grove {

namespace {

struct ViewOptions {
  std::string directory;
  int port = 8080;
};

std::string how_to_open(const RunFiles& files, int port, const std::string& path) {
  const char* const user = std::getenv("USER");
  return fmt::format(
      "live view of {}{}\n"
      "  open        http://localhost:{}{}\n"
      "  from afar   ssh -N -L {}:127.0.0.1:{} {}@{}    on your own machine, then the same address there\n"
      "Ctrl-C ends it.\n",
      printable_line(files.directory().string(), 1000), files.is_there() ? "" : ", which is not there yet", port, path, port, port,
      printable_line(user && *user ? user : "USER"), printable_line(host_name()));
}

int view(const ViewOptions& options, const Communicator& comm) {
  comm.agree([&] {
    if (comm.size() > 1) throw ConfigError("grove view is one process: start it without mpirun, or with one rank");
    if (options.directory.empty()) throw ConfigError("OUTPUT_DIR is required: the output directory of a run");
    std::error_code unknown;
    const auto status = std::filesystem::status(options.directory, unknown);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
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
  app.add_option("OUTPUT_DIR", options->directory, "output directory of a run that goes on, has ended, or has yet to begin");
  app.add_option("--port", options->port, "port on this machine; 0 takes a free one [8080]")->check(whole_number(0, 65535))->type_name("N");
  app.footer(
      "Nothing is written, and only this machine is served: from another one, open a tunnel with the ssh line that is printed. The key in\n"
      "the address keeps other users of this machine out. docs/live_view.md says what is shown.");
  return [options](const Communicator& comm) { return view(*options, comm); };
}

}  // namespace grove
