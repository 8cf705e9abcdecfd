// grove run: reads or makes particles, steps them from time.begin to time.end, writes snapshots and logs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "decomposition/rank_place.hpp"
#include "kernels/space/error.hpp"
#include "kernels/space/host_memory.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options.hpp"
#include "src/config/config_print.hpp"
#include "src/config/gravity_report.hpp"
#include "src/run/advice.hpp"
#include "src/run/initial_state.hpp"
#include "src/run/last_words.hpp"
#include "src/run/memory_check.hpp"
#include "src/run/output_directory.hpp"
#include "src/run/progress.hpp"
#include "src/run/run_loop.hpp"
#include "src/run/run_summary.hpp"
#include "src/run/snapshot_writer.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/memory_model.hpp"
#include "src/text/text_table.hpp"
#include "src/version.hpp"

namespace grove {

namespace {

struct RunOptions {
  CommonOptions common;
  std::string config;
  bool print_config = false, quiet = false, overwrite = false;
};

/// All messages to the user go through here. One rank prints them, and none when quiet.
class Console {
 public:
  Console(const Communicator& comm, bool quiet) : speaks_(comm.is_root() && !quiet) {}
  void say(const std::string& text) const {
    if (!speaks_) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  ProgressStyle progress_style() const {
    return !speaks_ ? ProgressStyle::silent : output_is_terminal() ? ProgressStyle::in_place : ProgressStyle::lines;
  }

 private:
  bool speaks_;
};

/// "4 ranks on NVIDIA H200": every kind of device once. Collective.
std::string ranks_and_devices(const std::string& device, const Communicator& comm) {
  const std::string line = device + "\n";
  const std::vector<char> all = comm.all_gather_vectors<char>(line);
  std::istringstream lines(std::string(all.begin(), all.end()));
  std::set<std::string> kinds;
  for (std::string kind; std::getline(lines, kind);) kinds.insert(kind);
  return fmt::format("{} on {}", ranks_text(comm), fmt::join(kinds, " and "));
}

std::string notes(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "note: " + line + "\n";
  return text;
}

std::string introduction(const Config& config, const InitialState& state, const StepSchedule& schedule, const std::string& machine,
                         const std::vector<std::string>& advice) {
  std::string text = fmt::format("{}\n{}\n", version_line(), state.description) + notes(notes_on_file(config, state));
  if (const std::string note = why_not_beside(config.output, thread_level_of_mpi()); !note.empty()) text += "note: " + note + "\n";
  text += fmt::format("{}\n{}\n", gravity_text(config.gravity), machine) + notes(advice);
  text += fmt::format("{} steps of {:.6g} from t = {} to {}; ", format_count(schedule.steps()), schedule.dt(),
                      format_time(config.time.begin, config.units), format_time(config.time.end, config.units));
  return text + fmt::format("results go to {}\n", config.output.directory);
}

/// Makes or reads the particles. A run that cannot fit is refused, as soon as the number of its particles is known. Adds to `advice`.
/// Collective; throws AgreedError.
InitialState load_what_fits(const Config& config, const Simulation& simulation, const DeviceState& device, const Communicator& comm,
                            std::vector<std::string>& advice) {
  const MemoryModel model(config.gravity, *simulation.fields(), device.is_gpu(), config.output.snapshots != "none");
  const auto check = [&](std::uint64_t particles, bool are_loaded) {
    const std::string warning =
        require_memory(memory_pools(model, device, host_memory_limits(), particles, are_loaded, comm), model, particles, comm);
    if (!warning.empty()) advice.push_back(warning);
  };
  const bool is_generated = config.initial_conditions.file.empty();
  if (is_generated) check(config.initial_conditions.n, false);
  InitialState state = load_initial_state(config, comm, simulation.fields());
  if (!is_generated) check(state.count, true);
  return state;
}

/// What the user should know of devices and ranks. Collective.
void add_advice(const Config& config, std::uint64_t particles, const DeviceState& device, const Communicator& comm,
                std::vector<std::string>& advice) {
  const auto add = [&](const std::vector<std::string>& lines) { advice.insert(advice.end(), lines.begin(), lines.end()); };
  add(device_advice(all_rank_devices(device, comm), config.run.device != "cpu"));
  add(rank_count_advice(config.gravity, particles, comm.size(), device.is_gpu(), omp_get_max_threads()));
}

std::unique_ptr<Simulation> make_configured_simulation(const Config& config, const Communicator& comm) {
  std::unique_ptr<Simulation> simulation;
  comm.agree([&] {
    simulation = make_simulation(config.run.device, config.gravity, comm,
                                 {config.time.integrator, config.time.parameters, transport_way_named(config.run.transport)});
  });
  return simulation;
}

int simulate(const RunOptions& options, const Config& config, const Communicator& comm) {
  const Console console(comm, options.quiet);
  const OutputDirectory directory(config.output.directory);
  // Whatever can fail at once is done before anything slow.
  std::unique_ptr<StepSchedule> schedule;
  comm.agree(
      [&] { schedule = std::make_unique<StepSchedule>(config.time.begin, config.time.end, config.time.dt, config.output.snapshot_every); });
  const std::unique_ptr<Simulation> simulation = make_configured_simulation(config, comm);
  DeviceState device;
  comm.agree([&] { device = simulation->device_state(); });
  name_device(device.name);
  std::vector<std::string> advice;
  InitialState state = load_what_fits(config, *simulation, device, comm, advice);
  add_advice(config, state.count, device, comm, advice);
  comm.agree([&] {
    if (comm.is_root()) directory.prepare(options.overwrite);
  });
  remove_partial_files_on_failure(directory.path(), "snapshot_");

  const ObserverSetup setup{config, directory, *schedule, simulation->device_description(), console.progress_style()};
  console.say(introduction(config, state, *schedule, ranks_and_devices(setup.device, comm), advice));
  if (comm.size() > 1) console.say("messages travel " + simulation->transport_description() + "\n");
  comm.agree([&] {
    if (comm.is_root()) write_text(directory.used_parameters(), print_config(config));
  });
  const RunReport report = RunLoop(*simulation, comm, *schedule, simulation->make_observers(setup)).run(std::move(state.particles));
  console.say(run_summary(report, *schedule, directory));
  if (report.signal != 0 && comm.is_root())
    fmt::print(stderr, "grove: stopped by signal {} after step {}; the state is {}\n", report.signal, report.steps,
               report.last_state.empty() ? "lost, since output.snapshots = \"none\"" : "in " + report.last_state);
  return report.signal == 0 ? 0 : 128 + report.signal;
}

bool names_initial_conditions(const std::vector<std::string>& settings) {
  return std::any_of(settings.begin(), settings.end(), [](const std::string& s) {
    return s.rfind("initial_conditions.file", 0) == 0 || s.rfind("initial_conditions.generator", 0) == 0;
  });
}

int run(const RunOptions& options, const Communicator& comm) {
  std::vector<std::string> overrides = options.common.overrides();
  const bool show_defaults = options.config.empty() && options.print_config && !names_initial_conditions(overrides);
  if (show_defaults) overrides.insert(overrides.begin(), "initial_conditions.generator=plummer");
  comm.agree([&] {
    if (options.config.empty() && !names_initial_conditions(overrides))
      throw ConfigError("run needs a configuration file (CONFIG), or '--set initial_conditions.generator=...' or '...file=...'");
  });
  const Config config = load_config_on_all_ranks(options.config, overrides, comm);
  if (!options.print_config) return simulate(options, config, comm);
  if (comm.is_root()) fmt::print("{}", print_config(config));
  return 0;
}

}  // namespace

CommandAction declare_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("CONFIG", options->config, "configuration file (TOML); 'grove run --print-config' shows all its keys");
  options->common.declare(app);
  app.add_flag("--print-config", options->print_config, "print every key with its value and meaning, and stop");
  app.add_flag("--overwrite", options->overwrite, "delete the results of an earlier run in the output directory");
  app.add_flag("--quiet", options->quiet, "print errors only");
  app.footer(
      "SIGINT and SIGTERM end the run after the present step, with a last snapshot; a second one ends it at once. Open MPI's mpirun kills\n"
      "all ranks one second after it has passed a signal on: give it '--mca odls_base_sigkill_timeout SECONDS' where a step takes longer;\n"
      "it then waits so long after every failure, too.\n"
      "docs/troubleshooting.md says what messages mean.");
  return [options](const Communicator& comm) { return run(*options, comm); };
}

}  // namespace grove
