// grove check: force errors of the configured method against direct summation.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/base/parse_number.hpp"
#include "kernels/base/text_parts.hpp"
#include "kernels/base/text_table.hpp"
#include "src/bench/force_errors.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/config/gravity_report.hpp"
#include "src/process/standard_error.hpp"
#include "src/solver/force_method.hpp"

namespace grove {

namespace {

struct CheckOptions {
  CommonOptions common;
  std::string source;
  std::uint64_t targets = 1000, seed = default_sample_seed;
  JsonOption json;
  double max_99 = std::numeric_limits<double>::infinity();
};

std::string positive_number(const std::string& text) {
  const std::optional<double> number = parse_number<double>(text);
  return number && *number > 0 ? "" : text + " must be a number > 0";
}

/// `physics`: what the file of particles records, if there is one.
Config config_of(const CheckOptions& options, const Communicator& comm, RecordedPhysics& physics) {
  const bool is_config = std::filesystem::path(options.source).extension() == ".toml";
  if (is_config) {
    GivenSetting input;
    Config config = load_config_on_all_ranks(options.source, options.common.overrides(), comm, &input);
    require_input(input, comm);
    return config;
  }
  physics = physics_of_file(options.source, options.common, comm);
  return config_of_file(options.source, physics, options.common, comm);
}

std::string readable(const Config& config, const RecordedPhysics& physics, const InitialState& state, const Simulation& simulation,
                     int ranks, const ForceErrors& errors) {
  const bool has_external = !external_texts(config.external_sections()).empty();
  return fmt::format(
      "{}\n{}{}{}, on {}\n{}{} targets against direct summation in FP64\n\n{}", state.description, physics_text(physics, config, state),
      has_external ? "note: external potentials are exact and left out: errors are those of the particles' own gravity\n" : "",
      gravity_text(config.gravity), simulation.device_description(),
      as_note(direct_summation_advice(config.gravity, state.count, ranks, simulation.device_state().is_gpu())),
      format_count(errors.targets), error_table(errors));
}

int check(const CheckOptions& options, const Communicator& comm) {
  comm.agree([&] { options.json.require_input("SNAPSHOT_OR_CONFIG", "check SNAPSHOT_OR_CONFIG", !options.source.empty()); });
  RecordedPhysics physics;
  Config config = config_of(options, comm, physics);
  options.json.require_writable(comm);
  const StartedSimulation started = start_simulation(config, comm);
  const InitialState& state = started.state;
  Simulation* const simulation = started.simulation.get();
  const ForceErrors errors = force_errors(simulation->sample_force_error(options.targets, options.seed));
  const nlohmann::ordered_json json = {{"particles", state.count},
                                       {"ranks", comm.size()},
                                       {"device", simulation->device_description()},
                                       {"gravity", gravity_json(config.gravity)},
                                       {"errors", error_json(errors)}};
  options.json.show(readable(config, physics, state, *simulation, comm.size(), errors), json, comm);
  // NaN exceeds every limit.
  if (errors.acceleration.p99 <= options.max_99) return 0;
  if (comm.is_root())
    say_on_stderr(
        fmt::format("grove: the 99 % acceleration error {:.3e} exceeds --max-99 {:.3e}", errors.acceleration.p99, options.max_99));
  return exit_exceeded;
}

}  // namespace

CommandAction declare_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  app.add_option("SNAPSHOT_OR_CONFIG", options->source, "particles to check, or a configuration (*.toml) that says where they come from");
  app.add_option("--targets", options->targets, "size of the random sample [1000]")->check(whole_number(1))->type_name("N");
  app.add_option("--seed", options->seed, "of the sample, which does not depend on the number of ranks [1]")
      ->check(whole_number(0))
      ->type_name("SEED");
  app.add_option("--max-99", options->max_99, "exit with code 1 when the 99 % acceleration error is larger")
      ->check(positive_number)
      ->type_name("X");
  options->json.declare(app);
  options->common.declare(app);
  app.footer(
      "Method and accuracy come from --set, e.g. --set gravity.tolerance=0.0001, or are the defaults. Softening, G and units come from\n"
      "--set or, with a file of particles, from what the file records.");
  return [options](const Communicator& comm) { return check(*options, comm); };
}

}  // namespace grove
