// What `grove bench` measures of the force evaluation with one set of parameters: speed, work, errors, momentum.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/bench/bench_statistics.hpp"
#include "src/bench/force_errors.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

struct ForceBenchmark {
  BenchStatistics statistics;
  WorkTotals work;     ///< of the last evaluation; its bytes_held is the largest of all measured ones
  ForceErrors errors;  ///< without targets when they were not measured
  ForceBalance balance;
};

/// Measures `repeats` force evaluations of a simulation that has been started, after one that is not measured. Sets everything but the
/// errors: direct sums hold memory of their own, so make them afterwards. Collective.
ForceBenchmark measure_force(Simulation& simulation, std::uint64_t repeats, const Communicator& comm);

/// All of it for people, several lines.
std::string benchmark_text(const ForceBenchmark& benchmark);
/// Adds all of it to `json`.
void add_benchmark(nlohmann::ordered_json& json, const ForceBenchmark& benchmark);

}  // namespace grove
