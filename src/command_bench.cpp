// grove bench: wall time of the force evaluation by phase, interactions, memory and, when asked, errors.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "src/bench_statistics.hpp"
#include "src/command.hpp"
#include "src/command_options.hpp"
#include "src/force_errors.hpp"
#include "src/initial_state.hpp"
#include "src/text_table.hpp"
#include "src/version.hpp"

namespace grove {

namespace {

struct BenchOptions {
  CommonOptions common;
  std::string n = "100000", generator = "plummer", file, seed = "1";
  JsonOption json;
  std::uint64_t repeats = 5, targets = 0;
};

/// What was measured.
struct BenchResult {
  BenchStatistics statistics;
  WorkTotals work;
  ForceErrors errors;  ///< without targets when not asked for
};

Config config_of(const BenchOptions& options, const Communicator& comm) {
  std::vector<std::string> first{"initial_conditions.file=" + options.file};
  if (options.file.empty())
    first = {"initial_conditions.generator=" + options.generator, "initial_conditions.n=" + options.n,
             "initial_conditions.seed=" + options.seed};
  return load_config_on_all_ranks("", options.common.overrides(first), comm);
}

BenchResult measure(const BenchOptions& options, Simulation& simulation, const Communicator& comm) {
  BenchResult result;
  simulation.compute_forces();  // buffers grow and libraries load here, not in what is measured
  for (std::uint64_t repeat = 0; repeat < options.repeats; ++repeat) result.statistics.add(measure_forces(simulation, comm));
  result.work = total_work(simulation.work_counts(), comm);
  if (options.targets > 0) result.errors = force_errors(simulation.sample_force_error(options.targets, standard_sample_seed));
  return result;
}

std::string readable(const Config& config, const InitialState& state, const BenchResult& result, const std::string& device, int ranks) {
  const GravityParameters& gravity = config.gravity;
  std::string text = fmt::format("{}\n{} on {} rank{}, {}\nmethod {}, opening {}, theta {}, softening {} ({})\n\n", version_line(),
                                 state.description, ranks, ranks == 1 ? "" : "s", device, gravity.method, gravity.opening, gravity.theta,
                                 gravity.softening, gravity.softening_kernel);
  text += result.statistics.table() + "\n" + speed_text(result.statistics, result.work) + work_text(result.work);
  if (result.errors.targets > 0)
    text += fmt::format("\n{} targets against direct summation\n", result.errors.targets) + error_table(result.errors);
  return text;
}

JsonObject as_json(const Config& config, const InitialState& state, const BenchResult& result, const std::string& device, int ranks) {
  const InitialConditions& from = config.initial_conditions;
  JsonObject json;
  json.add("program", version_line()).add("particles", state.count);
  json.add("initial_conditions", from.file.empty() ? from.generator : from.file);
  json.add("ranks", ranks).add("device", device).add("gravity", gravity_json(config.gravity));
  result.statistics.add_to(json);
  add_speed(json, result.statistics, result.work);
  add_work(json, result.work);
  if (result.errors.targets > 0) json.add("errors", error_json(result.errors));
  return json;
}

int bench(const BenchOptions& options, const Communicator& comm) {
  const Config config = config_of(options, comm);
  std::unique_ptr<Simulation> simulation;
  comm.agree([&] { simulation = make_simulation(config.run.device, config.gravity, comm); });
  const InitialState state = load_initial_state(config, comm);
  simulation->start(state.particles, config.time.begin);
  const BenchResult result = measure(options, *simulation, comm);
  const std::string device = simulation->device_description();
  comm.agree([&] {
    if (!comm.is_root()) return;
    if (!options.json.replaces_table()) fmt::print("{}", readable(config, state, result, device, comm.size()));
    if (options.json.given()) options.json.write(as_json(config, state, result, device, comm.size()));
  });
  return 0;
}

}  // namespace

CommandAction declare_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  app.add_option("--n", options->n, "number of particles [100000]")->type_name("N");
  auto* generator = app.add_option("--ic", options->generator, "generator of the particles [plummer]")->type_name("GENERATOR");
  app.add_option("--file", options->file, "particles of a file instead")->type_name("FILE")->excludes(generator);
  app.add_option("--seed", options->seed, "of the particles [1]")->type_name("SEED");
  app.add_option("--repeats", options->repeats, "force evaluations measured, after two that are not [5]")
      ->check(CLI::PositiveNumber)
      ->type_name("R");
  app.add_option("--check", options->targets, "also measure force errors on this many particles")->type_name("TARGETS");
  options->json.declare(app);
  options->common.declare(app);
  return [options](const Communicator& comm) { return bench(*options, comm); };
}

}  // namespace grove
