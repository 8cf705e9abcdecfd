#include "src/bench/bench_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "kernels/base/text_table.hpp"
#include "src/bench/percentiles.hpp"

namespace grove {

namespace {

PhaseSpread spread_of(const std::string& name, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {name, percentile(seconds, 0.5), percentile(seconds, 0), percentile(seconds, 1)};
}

/// Runs Simulation::compute_forces from a common start and times it. Collective.
ForceTiming measure_once(Simulation& simulation, const Communicator& comm) {
  comm.barrier();
  const auto began = std::chrono::steady_clock::now();
  simulation.compute_forces();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  double walk_s = 0;
  for (const PhaseTime& phase : simulation.phase_times())
    if (is_walk(phase.name)) walk_s += phase.seconds;
  return {summarise_phases(simulation.phase_times(), seconds, comm), comm.max(walk_s)};
}

}  // namespace

std::vector<PhaseSpread> BenchStatistics::phases() const {
  std::vector<PhaseSpread> phases;
  if (repeats_.empty()) return phases;
  for (const PhaseSummary& phase : repeats_.front().timing.phases) {
    std::vector<double> seconds;
    for (const ForceTiming& repeat : repeats_)
      for (const PhaseSummary& same : repeat.timing.phases)
        if (same.name == phase.name) seconds.push_back(same.max);
    phases.push_back(spread_of(phase.name, seconds));
  }
  return phases;
}

PhaseSpread BenchStatistics::walk() const {
  std::vector<double> seconds;
  for (const ForceTiming& repeat : repeats_) seconds.push_back(repeat.walk_s);
  return spread_of("all walks", seconds);
}

PhaseSpread BenchStatistics::whole() const {
  std::vector<double> seconds;
  for (const ForceTiming& repeat : repeats_) seconds.push_back(repeat.timing.seconds);
  return spread_of("whole force", seconds);
}

std::string BenchStatistics::table() const {
  TextTable table({"wall time, slowest rank", "median", "min", "max"});
  std::vector<PhaseSpread> rows = phases();
  rows.push_back(walk());
  rows.push_back(whole());
  for (const PhaseSpread& row : rows)
    table.add_row({row.name, format_seconds(row.median), format_seconds(row.min), format_seconds(row.max)});
  return table.text();
}

void BenchStatistics::add_to(nlohmann::ordered_json& json) const {
  const auto spread = [](const PhaseSpread& s) { return nlohmann::ordered_json{{"median", s.median}, {"min", s.min}, {"max", s.max}}; };
  json["repeats"] = repeats_.size();
  auto& all = json["phases_s"] = nlohmann::ordered_json::object();
  for (const PhaseSpread& phase : phases()) all[phase.name] = spread(phase);
  json["walk_s"] = spread(walk());
  json["whole_force_s"] = spread(whole());
}

WorkTotals total_work(const WorkCounts& local, const Communicator& comm) {
  std::array<std::uint64_t, 9> sums{local.targets, local.particle_particle, local.cell_particle,      local.cell_cell, local.opening_tests,
                                    local.cells,   local.imported_cells,    local.imported_particles, local.bytes_held};
  comm.sum(std::span<std::uint64_t>(sums));
  return {{sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8]}, comm.max(local.bytes_held)};
}

double per_particle(std::uint64_t total, const WorkTotals& work) {
  return work.sum.targets > 0 ? static_cast<double>(total) / static_cast<double>(work.sum.targets) : 0;
}

double particles_per_s(const PhaseSpread& phase, const WorkTotals& work) {
  return phase.median > 0 ? static_cast<double>(work.sum.targets) / phase.median : 0;
}

void add_speed(nlohmann::ordered_json& json, const BenchStatistics& statistics, const WorkTotals& work) {
  json["walk_particles_per_s"] = particles_per_s(statistics.walk(), work);
  json["whole_force_particles_per_s"] = particles_per_s(statistics.whole(), work);
}

std::string work_text(const WorkTotals& work) {
  return fmt::format(
      "a particle   {:.1f} particle-particle, {:.1f} cell-particle, {:.1f} cell-cell interactions, {:.1f} opening tests\n"
      "cells        {}, imported {} cells and {} particles\nmemory       {:.0f} bytes a particle, {} on the fullest rank\n",
      per_particle(work.sum.particle_particle, work), per_particle(work.sum.cell_particle, work), per_particle(work.sum.cell_cell, work),
      per_particle(work.sum.opening_tests, work), format_count(work.sum.cells), format_count(work.sum.imported_cells),
      format_count(work.sum.imported_particles), per_particle(work.sum.bytes_held, work),
      format_bytes(static_cast<double>(work.most_bytes_on_a_rank)));
}

void add_work(nlohmann::ordered_json& json, const WorkTotals& work) {
  json["interactions_per_particle"] = {{"particle_particle", per_particle(work.sum.particle_particle, work)},
                                       {"cell_particle", per_particle(work.sum.cell_particle, work)},
                                       {"cell_cell", per_particle(work.sum.cell_cell, work)},
                                       {"opening_tests", per_particle(work.sum.opening_tests, work)}};
  json["cells"] = work.sum.cells;
  json["imported_cells"] = work.sum.imported_cells;
  json["imported_particles"] = work.sum.imported_particles;
  json["bytes_per_particle"] = per_particle(work.sum.bytes_held, work);
  json["most_bytes_on_a_rank"] = work.most_bytes_on_a_rank;
}

ForceBenchmark measure_force(Simulation& simulation, std::uint64_t repeats, const Communicator& comm) {
  ForceBenchmark benchmark;
  simulation.compute_forces();  // buffers grow and libraries load here, not in what is measured
  std::uint64_t most_bytes = 0;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    benchmark.statistics.add(measure_once(simulation, comm));
    most_bytes = std::max(most_bytes, simulation.work_counts().bytes_held);
  }
  WorkCounts work = simulation.work_counts();
  work.bytes_held = most_bytes;
  benchmark.work = total_work(work, comm);
  benchmark.balance = simulation.force_balance();
  return benchmark;
}

std::string benchmark_text(const ForceBenchmark& benchmark) {
  const auto& [statistics, work, errors, balance] = benchmark;
  std::string text =
      fmt::format("{}\nwalk         {} particles/s\nwhole force  {} particles/s\n", statistics.table(),
                  format_quantity(particles_per_s(statistics.walk(), work)), format_quantity(particles_per_s(statistics.whole(), work)));
  text += work_text(work);
  text += fmt::format("net force    {:.2e} of the sum of all forces\n", balance.relative());
  if (errors.targets > 0) text += fmt::format("\n{} targets against direct summation\n", errors.targets) + error_table(errors);
  return text;
}

void add_benchmark(nlohmann::ordered_json& json, const ForceBenchmark& benchmark) {
  benchmark.statistics.add_to(json);
  add_speed(json, benchmark.statistics, benchmark.work);
  add_work(json, benchmark.work);
  json["net_force_over_sum_of_forces"] = benchmark.balance.relative();
  if (benchmark.errors.targets > 0) json["errors"] = error_json(benchmark.errors);
}

}  // namespace grove
