// grove run: reads or makes particles, steps them from time.begin to time.end, writes snapshots and logs.
#include <fmt/format.h>
#include <omp.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "decomposition/rank_place.hpp"
#include "io/partial_file.hpp"
#include "kernels/space/error.hpp"
#include "kernels/space/host_memory.hpp"
#include "src/commands/command.hpp"
#include "src/commands/options.hpp"
#include "src/config/config_print.hpp"
#include "src/pictures/picture_plan.hpp"
#include "src/run/advice.hpp"
#include "src/run/checkpoints.hpp"
#include "src/run/component_softening.hpp"
#include "src/run/continuation.hpp"
#include "src/run/directory_lock.hpp"
#include "src/run/disk_check.hpp"
#include "src/run/initial_state.hpp"
#include "src/run/introduction.hpp"
#include "src/run/last_words.hpp"
#include "src/run/memory_check.hpp"
#include "src/run/observers/csv_log.hpp"
#include "src/run/observers/pictures.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/output_directory.hpp"
#include "src/run/progress.hpp"
#include "src/run/run_file_names.hpp"
#include "src/run/run_loop.hpp"
#include "src/run/run_requests.hpp"
#include "src/run/run_summary.hpp"
#include "src/run/same_on_all_ranks.hpp"
#include "src/run/stop_signals.hpp"
#include "src/run/time_limit.hpp"
#include "src/run/watchdog.hpp"
#include "src/simulation/all_pairs.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/memory_model.hpp"
#include "src/text/text_table.hpp"

namespace grove {

namespace {

/// The run was stopped before its end, and can be continued.
constexpr int exit_to_be_continued = EX_TEMPFAIL;

struct RunOptions {
  CommonOptions common;
  std::string config;
  bool print_config = false, quiet = false, verbose = false, overwrite = false, continues = false, force_config = false;
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

/// The particles of a checkpoint or snapshot, which have been read.
InitialState state_of(Continuation& from, const Communicator& comm) {
  InitialState state;
  state.particles = std::move(from.particles);
  state.components = from.components;
  state.count = comm.sum(static_cast<std::uint64_t>(state.particles.size()));
  state.description = fmt::format("{} particles of {}, after step {}", format_count(state.count), from.file, from.step);
  return state;
}

/// Makes or reads the particles, or takes those of `from`. A run that cannot fit is refused, as soon as the number of its particles is
/// known. Adds to `advice`. Collective; throws AgreedError.
InitialState load_what_fits(const Config& config, Continuation& from, const Simulation& simulation, const DeviceState& device,
                            const Communicator& comm, std::vector<std::string>& advice) {
  const MemoryModel model(config.gravity, *simulation.fields(), device.is_gpu(), config.output.snapshots != "none");
  const auto check = [&](std::uint64_t particles, bool are_loaded) {
    const std::string warning =
        require_memory(memory_pools(model, device, host_memory_limits(), particles, are_loaded, comm), model, particles, comm);
    if (!warning.empty()) advice.push_back(warning);
  };
  const bool is_generated = from.source == Continuation::Source::nothing && config.initial_conditions.file.empty();
  if (is_generated) check(config.initial_conditions.n, false);
  InitialState state =
      from.source == Continuation::Source::nothing ? load_initial_state(config, comm, simulation.fields()) : state_of(from, comm);
  if (!is_generated) check(state.count, true);
  return state;
}

/// What the user should know of settings, devices and ranks. Collective.
void add_advice(const Config& config, const StepSchedule& schedule, std::uint64_t particles, const DeviceState& device,
                const Communicator& comm, std::vector<std::string>& advice) {
  const auto add = [&](const std::vector<std::string>& lines) { advice.insert(advice.end(), lines.begin(), lines.end()); };
  const auto add_line = [&](const std::string& line) {
    if (!line.empty()) advice.push_back(line);
  };
  add_line(advice_on_G(config.gravity.G, config.units));
  add_line(schedule.snapshot_advice());
  add(task_count_advice(comm.size(), std::getenv("SLURM_NTASKS")));
  add(device_advice(all_rank_devices(device, comm), config.run.device != "cpu"));
  add(rank_count_advice(config.gravity, particles, comm.size(), device.is_gpu(), omp_get_max_threads()));
  add_line(all_pairs_advice(config.gravity, particles, comm.size(), device.is_gpu()));
}

std::unique_ptr<Simulation> make_configured_simulation(const Config& config, const Communicator& comm) {
  std::unique_ptr<Simulation> simulation;
  comm.agree([&] {
    simulation = make_simulation(config.run.device, config.gravity, comm,
                                 {.integrator = config.time.integrator,
                                  .integrator_settings = config.time.parameters,
                                  .transport = transport_way_named(config.run.transport),
                                  .external = config.external_sections()});
  });
  return simulation;
}

/// For a run that has nothing left to do.
int finished_before(const Continuation& from, const Config& config, const Console& console) {
  console.say(fmt::format("finished before: {} has the end of the run, t = {}; a later time.end goes on from there\n", from.file,
                          format_time(config.time.end, config.units)));
  return 0;
}

/// What becomes of results that are in the output directory.
EarlierResults earlier_results(const RunOptions& options, const Continuation& from) {
  if (options.overwrite) return EarlierResults::set_aside;
  if (!options.continues) return EarlierResults::refuse;
  return from.source == Continuation::Source::nothing ? EarlierResults::set_aside : EarlierResults::keep;
}

/// Makes the output directory ready; returns what was done in it. Collective; throws AgreedError.
std::vector<std::string> prepare(const RunOptions& options, const Config& config, const Continuation& from,
                                 const OutputDirectory& directory, const Communicator& comm) {
  std::vector<std::string> done;
  comm.agree([&] {
    if (!comm.is_root()) return;
    const std::string& input = config.initial_conditions.file;
    const bool begins_anew = from.source == Continuation::Source::nothing;
    if (begins_anew && !input.empty() && directory.contains(input) &&
        (options.overwrite || is_result(std::filesystem::weakly_canonical(input))))
      throw ConfigError(
          fmt::format("initial_conditions.file = \"{}\" lies in output.directory = \"{}\", whose results would take its place: "
                      "name another directory",
                      input, directory.path()));
    done = directory.prepare(earlier_results(options, from));
    if (from.source == Continuation::Source::nothing) return;
    const auto first = [&](bool writes_others, const char* name) {
      return writes_others ? std::optional(from.state.has(name) ? from.state.count(name) : 0) : std::nullopt;
    };
    for (const std::string& line : directory.set_aside_from(first(from.writes_other_snapshots, saved_snapshot_count),
                                                            first(from.writes_other_pictures, saved_picture_count)))
      done.push_back(line);
  });
  require_same_directory(directory.path(), "output.directory", comm);
  remove_partial_files_on_failure(directory.path(), is_made_under_partial_name);
  return done;
}

int exit_code_of_stop(const RunReport& report) {
  return report.checkpoint.empty() && report.signal != 0 ? 128 + report.signal : exit_to_be_continued;
}

int simulate(const RunOptions& options, Config config, const Communicator& comm) {
  const StopSignals signals;
  const IgnoreFileSizeSignal a_limit_is_an_error;
  const TimeLimit limit(config.run.max_wall_time, end_of_slurm_job());
  const Console console(comm, options.quiet);
  const Watchdog watchdog(comm);
  begin_activity("start of the run");
  const OutputDirectory directory(config.output.directory);
  // Held before anything in the directory is looked at.
  DirectoryLock lock;
  const auto lock_directory = [&] {
    comm.agree([&] {
      if (comm.is_root()) lock.take(directory.path());
    });
  };
  lock_directory();
  std::vector<std::string> advice;
  if (options.continues)
    if (const std::string note = keep_former_G(config, directory, comm); !note.empty()) advice.push_back(note);
  // Whatever can fail at once is done before anything slow.
  std::unique_ptr<StepSchedule> schedule;
  comm.agree([&] {
    schedule = std::make_unique<StepSchedule>(config.time.begin, config.time.end, config.time.dt, config.output.snapshot_every,
                                              config.time.unit_of_dt);
    schedule->require_recurrence("pictures.every", config.pictures.every);
  });
  const std::unique_ptr<Simulation> simulation = make_configured_simulation(config, comm);
  DeviceState device;
  comm.agree([&] { device = simulation->device_state(); });
  name_device(device.name);
  Continuation from;
  if (options.continues)
    from = find_continuation({directory, config, *schedule, simulation->fields(), device.is_gpu(), options.force_config}, comm);
  if (options.continues && from.source == Continuation::Source::nothing)
    from.notes.push_back("there is nothing to go on from in " + directory.path() + ": the run begins anew");
  advice.insert(advice.end(), from.notes.begin(), from.notes.end());
  const auto is_over = [&] { return from.source != Continuation::Source::nothing && from.step == schedule->steps(); };
  if (is_over()) return finished_before(from, config, console);
  begin_activity("reading the particles");
  InitialState state = load_what_fits(config, from, *simulation, device, comm, advice);
  set_component_softening(config.gravity, state, *simulation, comm);
  const auto count_of_type = count_of_types(state.particles, comm);
  comm.agree([&] { shown_types(PicturePlan(config.pictures), state.components, count_of_type); });
  begin_activity("output directory");
  add_advice(config, *schedule, state.count, device, comm, advice);
  const std::string room = require_disk_room(config, *simulation->fields(), *schedule, from, state.count, comm);
  if (!room.empty()) advice.push_back(room);
  const bool is_held = lock.is_held();
  const std::vector<std::string> done = prepare(options, config, from, directory, comm);
  lock_directory();  // one that was made just now
  comm.agree([&] {
    // Another run may have been faster, and be over by now.
    if (comm.is_root() && !is_held) directory.prepare(EarlierResults::refuse);
  });
  advice.insert(advice.end(), done.begin(), done.end());
  RunBeginning beginning;
  if (from.source != Continuation::Source::nothing)
    beginning = {from.step, &from.state, from.source == Continuation::Source::checkpoint && !from.energy_jumps, from.energy_jumps,
                 KeptState{from.file, from.step, schedule->time(from.step)}};
  ObserverSetup setup{config, directory, *schedule, simulation->device_description(), console.progress_style()};
  setup.first_step = beginning.step;
  setup.components = state.components;
  setup.resume = beginning.state;
  if (setup.resume) setup.states_seen = setup.resume->count(saved_states_seen);
  console.say(introduction(config, state, *schedule, beginning.step, ranks_and_devices(setup.device, comm), advice));
  if (options.verbose) console.say(table_of_ranks(device, comm));
  if (comm.size() > 1) console.say("messages travel " + simulation->transport_description() + "\n");
  comm.agree([&] {
    if (!comm.is_root()) return;
    // Renamed, so that a link in its place is replaced and not followed.
    const std::string path = directory.used_parameters();
    write_text(partial_name(path).string(), print_config(config));
    std::filesystem::rename(partial_name(path), path);
  });
  Checkpoints checkpoints(config, directory, comm, from.next_checkpoint, state.components);
  RunRequests requests(directory, limit, signal_before_end_s());
  if (comm.is_root())
    if (const std::string note = requests.forget_earlier(); !note.empty()) console.say("note: " + note + "\n");
  const RunControls controls{config.output.keeps_checkpoints() ? &checkpoints : nullptr, &requests, &directory,
                             [&](const std::string& text) { console.say(text); }};
  const RunReport report =
      RunLoop(*simulation, comm, *schedule, simulation->make_observers(setup), controls).run(std::move(state.particles), beginning);
  console.say(run_summary(report, *schedule, directory));
  const bool is_lost = config.output.snapshots != "none" && !is_kept(report);
  if (report.stop != StopCause::none && comm.is_root()) fmt::print(stderr, "grove: {}\n", stop_text(report, *schedule, config));
  if (is_lost && comm.is_root()) fmt::print(stderr, "grove: {}\n", lost_state_text(report));
  if (is_lost) return exit_code_of(SystemError(""));
  if (report.stop == StopCause::none) return 0;
  return exit_code_of_stop(report);
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
  auto* const overwrite = app.add_flag("--overwrite", options->overwrite,
                                       "set the results of an earlier run in the output directory aside, in a directory of their own");
  auto* const continues = app.add_flag("--continue", options->continues,
                                       "go on from the last checkpoint in the output directory; begin a new run if there is nothing")
                              ->excludes(overwrite);
  app.add_flag("--force-config", options->force_config, "go on although settings that change what is computed are others than before")
      ->needs(continues);
  auto* const quiet = app.add_flag("--quiet", options->quiet, "print errors only");
  app.add_flag("--verbose", options->verbose, "print a table of ranks, hosts and devices as well")->excludes(quiet);
  app.footer(
      "SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP and SIGXCPU end the run after the present step, with a checkpoint; a second one, more "
      "than\n"
      "two seconds later, ends it at once. So does a file 'stop' in the output directory; a file 'checkpoint' asks for a checkpoint "
      "alone.\n"
      "To stop a run under mpirun, send mpirun SIGUSR1, which it passes on: after SIGINT and SIGTERM it kills all ranks soon, however long "
      "a\n"
      "step takes. Exit codes: 0 finished, 75 stopped and to be continued, 2 and 3 mistakes in settings or data, 4 failures of the "
      "machine.\n"
      "docs/troubleshooting.md says what messages mean.");
  return [options](const Communicator& comm) { return run(*options, comm); };
}

}  // namespace grove
