// Wall time of the phases of a step over all ranks.
#pragma once

#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// One phase over all ranks, s.
struct PhaseSummary {
  std::string name;
  double mean = 0;
  double max = 0;
};

/// All phases of one step or force evaluation.
struct StepTiming {
  std::vector<PhaseSummary> phases;  ///< the phases of rank 0, in its order
  double seconds = 0;                ///< wall time of the slowest rank, with energies and logs, without other output
  RungCensus rungs;                  ///< of a divided step, of all ranks; the seconds are those of the slowest one
  double imbalance = 1;              ///< time in the walks of the busiest rank over the mean; 1 is ideal
};

/// Whether particles gather forces in this phase: "walk", "walk of others".
bool is_walk(const std::string& phase);

/// Mean and maximum of each phase over the ranks, on every rank. `local` are this rank's times; a phase that it did not have counts as 0.
/// Collective.
StepTiming summarise_phases(const std::vector<PhaseTime>& local, double seconds, const Communicator& comm);

/// Adds the times of `step` to `total`, phase by phase; the imbalance becomes the largest seen.
void accumulate(StepTiming& total, const StepTiming& step);

}  // namespace grove
