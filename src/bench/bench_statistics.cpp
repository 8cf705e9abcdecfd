#include "src/bench/bench_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "kernels/base/text_table.hpp"

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

std::vector<PhaseSpread> ForceBenchmark::phases() const {
  std::vector<PhaseSpread> phases;
  if (repeats.empty()) return phases;
  for (const PhaseSummary& phase : repeats.front().timing.phases) {
    std::vector<double> seconds;
    for (const ForceTiming& repeat : repeats)
      for (const PhaseSummary& same : repeat.timing.phases)
        if (same.name == phase.name) seconds.push_back(same.max);
    phases.push_back(spread_of(phase.name, seconds));
  }
  return phases;
}

PhaseSpread ForceBenchmark::walk() const {
  std::vector<double> seconds;
  for (const ForceTiming& repeat : repeats) seconds.push_back(repeat.walk_s);
  return spread_of("all walks", seconds);
}

PhaseSpread ForceBenchmark::whole() const {
  std::vector<double> seconds;
  for (const ForceTiming& repeat : repeats) seconds.push_back(repeat.timing.seconds);
  return spread_of("whole force", seconds);
}

double ForceBenchmark::per_particle(std::uint64_t total) const {
  return work.sum.targets > 0 ? static_cast<double>(total) / static_cast<double>(work.sum.targets) : 0;
}

double ForceBenchmark::particles_per_s(const PhaseSpread& phase) const {
  return phase.median > 0 ? static_cast<double>(work.sum.targets) / phase.median : 0;
}

WorkTotals total_work(const WorkCounts& local, const Communicator& comm) {
  std::array<std::uint64_t, 9> sums{local.targets, local.particle_particle, local.cell_particle,      local.cell_cell, local.opening_tests,
                                    local.cells,   local.imported_cells,    local.imported_particles, local.bytes_held};
  comm.sum(std::span<std::uint64_t>(sums));
  return {{sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8]}, comm.max(local.bytes_held)};
}

ForceBenchmark measure_force(Simulation& simulation, std::uint64_t repeats, const Communicator& comm) {
  ForceBenchmark benchmark;
  simulation.compute_forces();  // buffers grow and libraries load here, not in what is measured
  std::uint64_t most_bytes = 0;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    benchmark.repeats.push_back(measure_once(simulation, comm));
    most_bytes = std::max(most_bytes, simulation.work_counts().bytes_held);
  }
  WorkCounts work = simulation.work_counts();
  work.bytes_held = most_bytes;
  benchmark.work = total_work(work, comm);
  benchmark.balance = simulation.force_balance();
  return benchmark;
}

std::string benchmark_text(const ForceBenchmark& b) {
  TextTable table({"wall time, slowest rank", "median", "min", "max"});
  const PhaseSpread walk = b.walk(), whole = b.whole();
  std::vector<PhaseSpread> rows = b.phases();
  rows.insert(rows.end(), {walk, whole});
  for (const PhaseSpread& row : rows)
    table.add_row({row.name, format_seconds(row.median), format_seconds(row.min), format_seconds(row.max)});
  std::string text = fmt::format("{}\nwalk         {} particles/s\nwhole force  {} particles/s\n", table.text(),
                                 format_quantity(b.particles_per_s(walk)), format_quantity(b.particles_per_s(whole)));
  const WorkCounts& work = b.work.sum;
  text += fmt::format(
      "a particle   {:.1f} particle-particle, {:.1f} cell-particle, {:.1f} cell-cell interactions, {:.1f} opening tests\n"
      "cells        {}, imported {} cells and {} particles\nmemory       {:.0f} bytes a particle, {} on the fullest rank\n",
      b.per_particle(work.particle_particle), b.per_particle(work.cell_particle), b.per_particle(work.cell_cell),
      b.per_particle(work.opening_tests), format_count(work.cells), format_count(work.imported_cells),
      format_count(work.imported_particles), b.per_particle(work.bytes_held),
      format_bytes(static_cast<double>(b.work.most_bytes_on_a_rank)));
  text += fmt::format("net force    {:.2e} of the sum of all forces\n", b.balance.relative());
  if (b.errors.targets > 0) text += fmt::format("\n{} targets against direct summation\n", b.errors.targets) + error_table(b.errors);
  return text;
}

void add_benchmark(nlohmann::ordered_json& json, const ForceBenchmark& b) {
  const auto spread = [](const PhaseSpread& s) { return nlohmann::ordered_json{{"median", s.median}, {"min", s.min}, {"max", s.max}}; };
  const WorkCounts& work = b.work.sum;
  json["repeats"] = b.repeats.size();
  auto& all = json["phases_s"] = nlohmann::ordered_json::object();
  for (const PhaseSpread& phase : b.phases()) all[phase.name] = spread(phase);
  json["walk_s"] = spread(b.walk());
  json["whole_force_s"] = spread(b.whole());
  json["walk_particles_per_s"] = b.particles_per_s(b.walk());
  json["whole_force_particles_per_s"] = b.particles_per_s(b.whole());
  json["interactions_per_particle"] = {{"particle_particle", b.per_particle(work.particle_particle)},
                                       {"cell_particle", b.per_particle(work.cell_particle)},
                                       {"cell_cell", b.per_particle(work.cell_cell)},
                                       {"opening_tests", b.per_particle(work.opening_tests)}};
  json["cells"] = work.cells;
  json["imported_cells"] = work.imported_cells;
  json["imported_particles"] = work.imported_particles;
  json["bytes_per_particle"] = b.per_particle(work.bytes_held);
  json["most_bytes_on_a_rank"] = b.work.most_bytes_on_a_rank;
  json["net_force_over_sum_of_forces"] = b.balance.relative();
  if (b.errors.targets > 0) json["errors"] = error_json(b.errors);
}

}  // namespace grove
