// grove bench: wall time of the force evaluation by phase, interactions, memory, momentum and errors: with one set of parameters, or as a
// curve over accuracy settings.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/text_parts.hpp"
#include "kernels/base/text_table.hpp"
#include "kernels/gravity/gravity_names.hpp"
#include "src/bench/accuracy_sweep.hpp"
#include "src/bench/virtual_ranks.hpp"
#include "src/commands/options.hpp"
#include "src/commands/program.hpp"
#include "src/config/gravity_report.hpp"
#include "src/run/files/version.hpp"
#include "src/solver/force_method.hpp"

namespace grove {

namespace {

constexpr std::uint64_t default_sweep_targets = 2000;

struct BenchOptions {
  CommonOptions common;
  std::string n = "100000", generators = "plummer", file, seed = "1";
  JsonOption json;
  std::uint64_t repeats = 5, targets = 0;
  std::string settings, picture;
  std::vector<int> virtual_ranks;
  CLI::Option* sweep = nullptr;  ///< owned by the App
  RecordedPhysics physics{};     ///< of the file
};

/// The configuration with particles of `generator`, or of the file; `setting` wins over those of the user.
Config config_of(const BenchOptions& options, const std::string& generator, const Communicator& comm, const std::string& setting = "") {
  std::vector<std::string> overrides = options.physics.overrides();
  overrides.push_back("initial_conditions.file=" + options.file);
  if (options.file.empty())
    overrides = {"initial_conditions.generator=" + generator, "initial_conditions.n=" + options.n,
                 "initial_conditions.seed=" + options.seed};
  overrides = options.common.overrides(overrides);
  if (!setting.empty()) overrides.push_back(setting);
  Config config = load_config_on_all_ranks("", overrides, comm);
  comm.agree([&] {
    if (!external_texts(config.external_sections()).empty())
      throw ConfigError("bench measures the gravity of particles alone: [external] has no effect and must go");
  });
  return config;
}

nlohmann::ordered_json json_header(const Communicator& comm) { return {{"program", version_line()}, {"ranks", comm.size()}}; }

int bench_virtual_ranks(const BenchOptions& options, const Communicator& comm) {
  comm.agree([&] {
    if (comm.size() > 1) throw ConfigError("--virtual-ranks needs one process");
  });
  const Config config = config_of(options, options.generators, comm);
  comm.agree([&] {
    if (!walks_trees(config.gravity.method))
      throw ConfigError("--virtual-ranks: gravity.method = \"" + config.gravity.method + "\" has no trees");
    if (has_softening_of_components(config.gravity)) throw ConfigError("--virtual-ranks: takes one gravity.softening for all components");
  });
  options.json.require_writable(comm);
  InitialState state = load_initial_state(config, comm);
  const std::vector<VirtualRanks> rows = measure_virtual_ranks(std::move(state.particles), config.gravity, options.virtual_ranks);
  nlohmann::ordered_json json = json_header(comm);
  json["particles"] = state.count;
  json["gravity"] = gravity_json(config.gravity);
  json["virtual_ranks"] = virtual_ranks_json(rows);
  options.json.show(fmt::format("{}\n{} in one process\n{}{}\n\n{}", version_line(), state.description,
                                physics_text(options.physics, config, state), gravity_text(config.gravity), virtual_ranks_text(rows)),
                    json, comm);
  return 0;
}

int bench_one(const BenchOptions& options, const Communicator& comm) {
  comm.agree([&] {
    if (options.generators.find(',') != std::string::npos)
      throw ConfigError("--ic " + options.generators + ": several generators need --sweep");
  });
  Config config = config_of(options, options.generators, comm);
  options.json.require_writable(comm);
  const StartedSimulation started = start_simulation(config, comm);
  const InitialState& state = started.state;
  Simulation* const simulation = started.simulation.get();
  ForceBenchmark result = measure_force(*simulation, options.repeats, comm);
  if (options.targets > 0) result.errors = force_errors(simulation->sample_force_error(options.targets, default_sample_seed));
  const std::string device = simulation->device_description();
  const std::string& file = config.initial_conditions.file;
  nlohmann::ordered_json json = json_header(comm);
  json["initial_conditions"] = file.empty() ? config.initial_conditions.generator : file;
  json["particles"] = state.count;
  json["device"] = device;
  json["gravity"] = gravity_json(config.gravity);
  add_benchmark(json, result);
  options.json.show(
      fmt::format("{}\n{} on {}, {}\n{}{}\n{}\n{}", version_line(), state.description, ranks_text(comm), device,
                  physics_text(options.physics, config, state), gravity_text(config.gravity),
                  as_note(direct_summation_advice(config.gravity, state.count, comm.size(), simulation->device_state().is_gpu())),
                  benchmark_text(result)),
      json, comm);
  return 0;
}

/// The configurations with all settings, for every set of particles. Finds all mistakes before anything is measured. Collective.
std::vector<std::vector<Config>> sweep_plan(const BenchOptions& options, const Communicator& comm) {
  options.json.require_writable(comm);
  std::vector<std::string> generators, settings;
  comm.agree([&] {
    generators = comma_separated("--ic", options.generators);
    if (!options.settings.empty()) settings = comma_separated("--sweep", options.settings);
    if (comm.is_root() && !options.picture.empty()) require_writable(options.picture);
  });
  std::vector<std::vector<Config>> plan;
  for (const std::string& generator : generators) {
    const GravityParameters gravity = config_of(options, generator, comm).gravity;
    comm.agree([&] {
      if (!walks_trees(gravity.method))
        throw ConfigError(fmt::format(
            "--sweep: gravity.method = \"{}\" has no setting that trades speed for accuracy: choose another method", gravity.method));
    });
    plan.emplace_back();
    for (const std::string& setting : settings.empty() ? default_settings(gravity) : settings) {
      plan.back().push_back(config_of(options, generator, comm, "gravity." + accuracy_setting(gravity) + "=" + setting));
      plan.back().back().gravity.all_pairs_up_to = 0;  // measures the method for any number of particles
    }
  }
  return plan;
}

void write_sweep(const BenchOptions& options, const Config& config, const std::vector<SweepCurve>& curves, const Communicator& comm) {
  const std::string setting = accuracy_setting(config.gravity);
  if (options.json.given()) {
    nlohmann::ordered_json json = json_header(comm);
    json["setting"] = setting;
    for (const SweepCurve& curve : curves) json["curves"].push_back(sweep_json(curve, setting));
    options.json.write(json);
  }
  if (options.picture.empty()) return;
  const std::string title = fmt::format("{}; {} particles on {}, {}", gravity_text(config.gravity, AccuracyValue::left_out),
                                        format_count(curves.front().particles), ranks_text(comm), curves.front().device);
  write_text(options.picture, sweep_picture(curves, setting, title).svg());
}

int bench_sweep(const BenchOptions& options, const Communicator& comm) {
  const std::vector<std::vector<Config>> plan = sweep_plan(options, comm);
  const std::uint64_t targets = options.targets > 0 ? options.targets : default_sweep_targets;
  const bool speaks = comm.is_root() && !options.json.replaces_table();
  if (speaks) fmt::print("{}\n", version_line());
  std::vector<SweepCurve> curves;
  for (const std::vector<Config>& configs : plan) {
    curves.push_back(sweep_accuracy(configs, options.repeats, targets, comm));
    if (!speaks) continue;
    const GravityParameters& gravity = configs.front().gravity;
    fmt::print("\n{} on {}, {}\n{}{}\n\n{}", curves.back().description, ranks_text(comm), curves.back().device,
               options.physics.text(configs.front()), gravity_text(gravity, AccuracyValue::left_out),
               sweep_table(curves.back(), accuracy_setting(gravity)));
    std::fflush(stdout);
  }
  comm.agree([&] {
    if (comm.is_root()) write_sweep(options, plan.front().front(), curves, comm);
  });
  return 0;
}

}  // namespace

CommandAction declare_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  auto* number = app.add_option("--n", options->n, "number of particles [100000]")->type_name("N");
  auto* generator =
      app.add_option("--ic", options->generators, "generator of the particles, or with --sweep several: plummer,disc [plummer]")
          ->type_name("GENERATOR");
  auto* seed = app.add_option("--seed", options->seed, "of the particles [1]")->type_name("SEED");
  auto* file = app.add_option("--file", options->file, "particles of a file instead, with the softening, G and units that it records")
                   ->type_name("FILE")
                   ->check([](const std::string& name) { return name.empty() ? std::string("no file is named") : std::string(); });
  for (auto* of_generators : {generator, number, seed}) file->excludes(of_generators);
  app.add_option("--repeats", options->repeats, "force evaluations measured, after two that are not [5]")
      ->check(whole_number(1, 1000000))
      ->type_name("R");
  app.add_option("--check", options->targets, "also measure force errors on this many particles [with --sweep 2000]")
      ->check(whole_number(1))
      ->type_name("TARGETS");
  options->sweep =
      app.add_option("--sweep", options->settings,
                     "the speed/error curve: measure with each of these tolerances (gravity.opening = relative) or thetas (all "
                     "others) [two decades of errors]")
          ->expected(0, 1)
          ->type_name("[VALUE,...]");
  app.add_option("--picture", options->picture, "draw the curves of --sweep as SVG")->type_name("FILE.svg")->needs(options->sweep);
  app.add_option(
         "--virtual-ranks", options->virtual_ranks,
         "instead: cut the particles into so many domains, in one process on the CPU, and count what their ranks would exchange: 8,64,512")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 16))
      ->type_name("P,...")
      ->excludes(options->sweep);
  options->json.declare(app);
  options->common.declare(app);
  return [options](const Communicator& comm) {
    if (!options->file.empty()) options->physics = physics_of_file(options->file, options->common, comm);
    if (!options->virtual_ranks.empty()) return bench_virtual_ranks(*options, comm);
    return options->sweep->count() > 0 ? bench_sweep(*options, comm) : bench_one(*options, comm);
  };
}

}  // namespace grove
