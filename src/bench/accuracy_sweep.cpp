#include "src/bench/accuracy_sweep.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "kernels/base/text_table.hpp"
#include "kernels/gravity/gravity_names.hpp"
#include "src/config/gravity_report.hpp"
#include "src/run/start/configured_simulation.hpp"
#include "src/run/start/initial_state.hpp"

namespace grove {

namespace {

std::vector<std::string> table_row(const SweepPoint& point) {
  const ForceBenchmark& b = point.benchmark;
  const auto error = [](double value) { return fmt::format("{:.2e}", value); };
  const auto count = [&](std::uint64_t total) { return fmt::format("{:.1f}", b.per_particle(total)); };
  return {fmt::format("{}", accuracy(point.gravity)),
          error(b.errors.acceleration.median),
          error(b.errors.acceleration.p99),
          error(b.errors.acceleration.p999),
          format_seconds(b.walk().median),
          format_seconds(b.whole().median),
          format_quantity(b.particles_per_s(b.walk())),
          format_quantity(b.particles_per_s(b.whole())),
          count(b.work.sum.particle_particle),
          count(b.work.sum.cell_particle),
          count(b.work.sum.cell_cell),
          error(b.balance.relative())};
}

}  // namespace

const std::vector<std::string>& default_settings(const GravityParameters& gravity) {
  static const std::vector<std::string> tolerances{"1e-2", "3e-3", "1e-3", "3e-4", "1e-4", "3e-5", "1e-5"};
  static const std::vector<std::string> thetas{"1.0", "0.8", "0.7", "0.6", "0.5", "0.4", "0.3"};
  return accuracy_setting(gravity) == "tolerance" ? tolerances : thetas;
}

SweepCurve sweep_accuracy(const std::vector<Config>& configs, std::uint64_t repeats, std::uint64_t targets, const Communicator& comm) {
  const Config& first = configs.front();
  const InitialState state = load_initial_state(first, comm);
  const std::string& file = first.initial_conditions.file;
  SweepCurve curve;
  curve.name = file.empty() ? first.initial_conditions.generator : file;
  curve.description = state.description;
  curve.particles = state.count;
  ReferenceForces reference;
  for (const Config& config : configs) {
    const std::unique_ptr<Simulation> simulation = make_simulation_of_forces(config, comm);
    GravityParameters gravity = config.gravity;
    set_component_softening(gravity, state, *simulation, comm);
    simulation->start(state.particles, config.time.begin);
    curve.points.push_back({gravity, measure_force(*simulation, repeats, comm)});
    if (reference.id.empty()) reference = simulation->reference_forces(targets, default_sample_seed);
    curve.points.back().benchmark.errors = force_errors(simulation->compare_forces(reference));
    curve.device = simulation->device_description();
  }
  return curve;
}

std::string sweep_table(const SweepCurve& curve, const std::string& setting) {
  TextTable table({setting, "median error", "99 %", "99.9 %", "walk", "whole force", "walk 1/s", "whole 1/s", "particle-particle",
                   "cell-particle", "cell-cell", "net force"});
  for (const SweepPoint& point : curve.points) table.add_row(table_row(point));
  return table.text();
}

nlohmann::ordered_json sweep_json(const SweepCurve& curve, const std::string& setting) {
  nlohmann::ordered_json points;
  for (const SweepPoint& point : curve.points) {
    nlohmann::ordered_json json{{setting, accuracy(point.gravity)}, {"gravity", gravity_json(point.gravity)}};
    add_benchmark(json, point.benchmark);
    points.push_back(json);
  }
  return {{"initial_conditions", curve.name}, {"particles", curve.particles}, {"device", curve.device}, {"points", points}};
}

CurvePicture sweep_picture(const std::vector<SweepCurve>& curves, const std::string& setting, const std::string& title) {
  CurvePicture picture{title, "99 % error of the force, against direct summation", "particles per second, whole force", {}};
  for (const SweepCurve& curve : curves) {
    Curve drawn{curve.name, {}};
    for (const auto& [gravity, benchmark] : curve.points) {
      const double error = benchmark.errors.acceleration.p99, speed = benchmark.particles_per_s(benchmark.whole());
      drawn.points.push_back(
          {error, speed,
           fmt::format("{}, {} {}: {:.2e}, {} particles/s", curve.name, setting, accuracy(gravity), error, format_quantity(speed))});
    }
    picture.curves.push_back(drawn);
  }
  return picture;
}

}  // namespace grove
