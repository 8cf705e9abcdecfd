// grove plot: the logs of a run as a picture.
#include "src/plot/plot.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "io/files/printable.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/run/files/run_file_names.hpp"

namespace grove {

namespace {

struct PlotOptions {
  std::string directory, out;
};

/// One rank draws.
int plot(const PlotOptions& options, const Communicator& comm) {
  comm.agree([&] {
    if (!comm.is_root()) return;
    const std::string out = options.out.empty() ? (std::filesystem::path(options.directory) / plot_file).string() : options.out;
    plot_run(options.directory, out);
    write_text("-", fmt::format("written {}\n", printable_text(out)));
  });
  return 0;
}

}  // namespace

CommandAction declare_plot(CLI::App& app) {
  auto options = std::make_shared<PlotOptions>();
  app.add_option("OUTPUT_DIR", options->directory, "the output directory of a run, which may still be at work")->required();
  app.add_option("--out", options->out, "the picture [plot.png in OUTPUT_DIR]; one that this command has made is replaced, no other file")
      ->type_name("FILE.png");
  app.footer(
      "Draws energies and their error, momenta, centre of mass, and where the time went, from energy.csv, timings.csv and time_bins.csv.\n"
      "Needs Python with matplotlib (Debian, Ubuntu: apt-get install python3-matplotlib). GROVE_PYTHON in the environment\n"
      "names another Python than python3.");
  return [options](const Communicator& comm) { return plot(*options, comm); };
}

}  // namespace grove
