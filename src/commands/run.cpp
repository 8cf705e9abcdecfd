// grove run: reads or makes particles, steps them from time.begin to time.end, writes snapshots and logs.
#include <fmt/format.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "io/files/partial_file.hpp"
#include "kernels/base/activity.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_parts.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/base/units.hpp"
#include "src/advice/advice.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/config/config_print.hpp"
#include "src/config/gravity_report.hpp"
#include "src/process/background_work.hpp"
#include "src/process/standard_error.hpp"
#include "src/process/stop_signals.hpp"
#include "src/process/time_limit.hpp"
#include "src/process/watchdog.hpp"
#include "src/run/files/snapshot_writer.hpp"
#include "src/run/files/version.hpp"
#include "src/run/loop/run_loop.hpp"
#include "src/run/loop/run_preparation.hpp"
#include "src/run/loop/run_requests.hpp"
#include "src/run/loop/run_summary.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/observers/progress.hpp"
#include "src/run/resume/checkpoints.hpp"

namespace grove {

namespace {

/// The run was stopped before its end and can be continued.
constexpr int exit_to_be_continued = EX_TEMPFAIL;

struct RunOptions {
  CommonOptions common;
  std::string config;
  EarlierRunOptions earlier;
  bool print_config = false, quiet = false, verbose = false;
};

/// Prints all messages to the user, on one rank, or none with --quiet.
class Console {
 public:
  Console(const Communicator& comm, bool quiet) : speaks_(comm.is_root() && !quiet) {}
  void say(const std::string& text) const {
    if (!speaks_) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  /// A run counts as done without its report: says that it is missing.
  void tell_lost_words() const {
    if (!std::ferror(stdout)) return;
    std::clearerr(stdout);
    say_on_stderr("grove: standard output could not be written to the end; the run continued, and its files are complete");
  }
  ProgressStyle progress_style() const {
    return !speaks_ ? ProgressStyle::silent : output_is_terminal() ? ProgressStyle::in_place : ProgressStyle::lines;
  }

 private:
  bool speaks_;
};

/// Program, particles, forces, machine, steps and output directory, before the first step. Collective.
void introduce(const RunPreparation& run, bool is_verbose, const Communicator& comm, const Console& console) {
  const Config& config = run.config();
  const StepSchedule& schedule = run.schedule();
  const std::uint64_t first_step = run.restart_point().step;
  std::string text = fmt::format("{}\n{}\n{}", version_line(), run.state().description, run.state().table) +
                     as_notes(notes_on_file(config, run.state())) + as_note(why_not_in_background(config, thread_level_of_mpi())) +
                     gravity_text(config.gravity) + "\n";
  for (const std::string& line : external_texts(config.external_sections())) text += line + "\n";
  text += ranks_and_devices(run.simulation().device_description(), comm) + "\n" + as_notes(run.advice());
  if (is_physical(config.units))
    text += fmt::format("{}, time in units of {}; G = {:.6g}\n", in_words(config.units), format_time(1, config.units), config.gravity.G);
  text += fmt::format("{} steps of {} from t = {} to {}; ", format_count(schedule.steps() - first_step), schedule.text(schedule.dt()),
                      format_time(schedule.time(first_step), config.units), format_time(config.time.end, config.units));
  text += fmt::format("results go to {}", config.output.directory);
  if (run.output_bytes() > 0) text += fmt::format(", about {} of snapshots and checkpoints", format_bytes(run.output_bytes()));
  console.say(text + "\n");
  if (is_verbose) console.say(table_of_ranks(all_rank_devices(run.device(), comm)));
  if (comm.size() > 1) console.say("messages travel " + run.simulation().transport_description() + "\n");
}

/// From the first step to the last. Collective; throws AgreedError.
RunReport take_steps(RunPreparation& run, const ObserverSetup& setup, const TimeLimit& limit, const Communicator& comm,
                     const Console& console) {
  Checkpoints checkpoints(run.config(), run.directory(), comm, run.restart_point().next_checkpoint, run.state().components);
  RunRequests requests(run.directory(), limit, signal_before_end_s());
  if (comm.is_root()) console.say(as_note(requests.forget_earlier()));
  const RunControls controls{run.config().output.keeps_checkpoints() ? &checkpoints : nullptr, &requests, &run.directory(),
                             [&](const std::string& text) { console.say(text); }, run.config().time.forces_a_step()};
  RunLoop loop(run.simulation(), comm, run.schedule(), make_observers(run.simulation(), comm, setup), controls);
  return loop.run(std::move(run.state().particles), run.restart_point());
}

/// Reports an early end and a lost state on standard error.
int exit_code_after(const RunReport& report, const RunPreparation& run, const Communicator& comm) {
  const bool is_stopped = report.stop != StopCause::none;
  const bool is_lost = run.config().output.snapshots != "none" && !is_kept(report);
  if (comm.is_root()) {
    if (is_stopped) say_on_stderr("grove: " + stop_text(report, run.schedule(), run.config()));
    if (is_lost) say_on_stderr("grove: " + lost_state_text(report));
  }
  if (is_lost) return exit_code::system;
  if (!is_stopped) return 0;
  return report.checkpoint.empty() && report.signal != 0 ? 128 + report.signal : exit_to_be_continued;
}

int simulate(const RunOptions& options, const Config& config, const GivenSetting& input, const Communicator& comm) {
  const StopSignals signals;
  const IgnoreFileSizeSignal a_limit_is_an_error;
  // The reader of standard output may have read enough, as 'head'.
  std::signal(SIGPIPE, SIG_IGN);
  const TimeLimit limit(config.run.max_wall_time, end_of_slurm_job());
  const Console console(comm, options.quiet);
  const Watchdog watchdog(comm);
  begin_activity("start of the run");
  RunPreparation run(config, options.earlier, comm);
  if (run.is_over()) {
    console.say(fmt::format("finished before: {} has the end of the run, t = {}; a later time.end continues from there\n",
                            run.restart_point().file, format_time(run.config().time.end, run.config().units)));
    return 0;
  }
  if (!run.restart_point().exists()) require_input(input, comm);
  run.load_particles();
  StopSignals::end_at_once(nullptr);
  run.prepare_directory();
  const ObserverSetup setup = run.observer_setup(console.progress_style());
  introduce(run, options.verbose, comm, console);
  comm.agree([&] {
    // A link of this name is replaced, not followed.
    if (comm.is_root()) write_whole_file(run.directory().used_parameters(), print_config(run.config()));
  });
  const RunReport report = take_steps(run, setup, limit, comm, console);
  console.say(run_summary(report, run.schedule(), run.directory()));
  console.tell_lost_words();
  return exit_code_after(report, run, comm);
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
  GivenSetting input;
  const Config config = load_config_on_all_ranks(options.config, overrides, comm, &input);
  if (!options.print_config) return simulate(options, config, input, comm);
  comm.agree([&] {
    if (comm.is_root()) write_text("-", print_config(config));
  });
  return 0;
}

}  // namespace

CommandAction declare_run(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("CONFIG", options->config, "configuration file (TOML); 'grove run --print-config' shows all its keys");
  options->common.declare(app);
  app.add_flag("--print-config", options->print_config, "print every key with its value and meaning, and stop");
  auto* const overwrite = app.add_flag("--overwrite", options->earlier.overwrite,
                                       "set the results of an earlier run in the output directory aside, in a directory of their own");
  auto* const continues = app.add_flag("--continue", options->earlier.continues,
                                       "continue from the last checkpoint in the output directory; begin a new run if there is nothing")
                              ->excludes(overwrite);
  app.add_flag("--force-config", options->earlier.force_config,
               "continue although settings that change what is computed are others than before")
      ->needs(continues);
  auto* const quiet = app.add_flag("--quiet", options->quiet, "print errors only");
  app.add_flag("--verbose", options->verbose, "print a table of ranks, hosts and devices as well")->excludes(quiet);
  app.footer(
      "SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP and SIGXCPU end the run after the present step (of short ones, the next), with a\n"
      "checkpoint; a second one, more than two seconds later, ends it at once. So does a file 'stop' in the output directory; a file\n"
      "'checkpoint' asks for a checkpoint alone. To stop a run under mpirun, send mpirun SIGUSR1, which it passes on: after SIGINT and\n"
      "SIGTERM it kills all ranks soon, however long a step takes. Exit codes: 0 finished, 75 stopped and to be continued, 2 and 3\n"
      "mistakes in settings or data, 4 failures of the machine.\n"
      "docs/troubleshooting.md says what messages mean.");
  return [options](const Communicator& comm) { return run(*options, comm); };
}

}  // namespace grove
