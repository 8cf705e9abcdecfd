// What `grove bench` measures of the force evaluation: wall times by phase, work, errors, momentum, over all ranks.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "src/bench/force_errors.hpp"
#include "src/run/files/phase_statistics.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// One measured force evaluation, the same on every rank.
struct ForceTiming {
  StepTiming timing;
  double walk_s = 0;  ///< all walks together, of the slowest rank
};

/// Wall times of one phase over the repeats, of the slowest rank, s.
struct PhaseSpread {
  std::string name;
  double median = 0, min = 0, max = 0;
};

/// Sums over the ranks of what one force evaluation did.
struct WorkTotals {
  WorkCounts sum;
  std::uint64_t most_bytes_on_a_rank = 0;  ///< WorkCounts::bytes_held of the fullest rank
};

/// Collective.
WorkTotals total_work(const WorkCounts& local, const Communicator& comm);

struct ForceBenchmark {
  std::vector<ForceTiming> repeats;
  WorkTotals work;     ///< of the last evaluation; its bytes_held is the largest of all measured ones
  ForceErrors errors;  ///< without targets when they were not measured
  ForceBalance balance;

  std::vector<PhaseSpread> phases() const;  ///< in the order of the first repeat
  PhaseSpread walk() const;
  PhaseSpread whole() const;
  /// `total` for each particle that received a force.
  double per_particle(std::uint64_t total) const;
  /// From the median.
  double particles_per_s(const PhaseSpread& phase) const;
};

/// Measures `repeats` force evaluations of a simulation that has been started, after one that is not measured. Does not set the errors:
/// direct summation takes memory of its own, so measure them afterwards. Collective.
ForceBenchmark measure_force(Simulation& simulation, std::uint64_t repeats, const Communicator& comm);

/// All of it for people, in several lines.
std::string benchmark_text(const ForceBenchmark& benchmark);
/// Adds all of it to `json`.
void add_benchmark(nlohmann::ordered_json& json, const ForceBenchmark& benchmark);

}  // namespace grove
