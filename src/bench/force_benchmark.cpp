#include "src/bench/force_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace grove {

ForceBenchmark measure_force(Simulation& simulation, std::uint64_t repeats, const Communicator& comm) {
  ForceBenchmark benchmark;
  simulation.compute_forces();  // buffers grow and libraries load here, not in what is measured
  std::uint64_t most_bytes = 0;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    benchmark.statistics.add(measure_forces(simulation, comm));
    most_bytes = std::max(most_bytes, simulation.work_counts().bytes_held);
  }
  WorkCounts work = simulation.work_counts();
  work.bytes_held = most_bytes;
  benchmark.work = total_work(work, comm);
  benchmark.balance = simulation.force_balance();
  return benchmark;
}

std::string benchmark_text(const ForceBenchmark& benchmark) {
  std::string text = benchmark.statistics.table() + "\n" + speed_text(benchmark.statistics, benchmark.work) + work_text(benchmark.work);
  text += fmt::format("net force    {:.2e} of the sum of all forces\n", benchmark.balance.relative());
  if (benchmark.errors.targets > 0)
    text += fmt::format("\n{} targets against direct summation\n", benchmark.errors.targets) + error_table(benchmark.errors);
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
