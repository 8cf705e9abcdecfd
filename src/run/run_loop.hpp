// The loop over the steps of a run, with everything that is written after each of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "decomposition/communicator.hpp"
#include "src/run/energy_log.hpp"
#include "src/run/phase_statistics.hpp"
#include "src/run/progress.hpp"
#include "src/simulation/simulation.hpp"
#include "src/run/step_schedule.hpp"
#include "src/run/timings_log.hpp"

namespace grove {

/// Where a run writes. The logs and the progress exist on the root alone and may be null.
struct RunOutputs {
  std::unique_ptr<EnergyLog> energy;
  std::unique_ptr<TimingsLog> timings;
  std::unique_ptr<Progress> progress;
  /// Writes the state of the simulation as snapshot `number`, counted from 0. Collective. Null: no state is kept.
  std::function<void(std::uint64_t number, double time)> write_snapshot;
};

/// What a run did, the same on every rank.
struct RunReport {
  std::uint64_t steps = 0;      ///< taken
  std::uint64_t snapshots = 0;  ///< written
  double time = 0;              ///< reached, code units
  EnergyState first, last;
  double largest_energy_error = 0;  ///< largest |relative energy error| after any step
  StepTiming start;                 ///< the first force evaluation
  StepTiming steps_total;           ///< all steps together, without output
  double output_s = 0;              ///< wall time of snapshots and logs on the root
  double wall_s = 0;                ///< from the first force evaluation to the last snapshot
  int signal = 0;                   ///< that stopped the run early, or 0
};

/// Steps a simulation along a schedule. The integrator is behind Simulation::step; this loop knows only dt and the times.
class RunLoop {
 public:
  /// All must outlive the loop, but `outputs`, which it owns.
  RunLoop(Simulation& simulation, const Communicator& comm, const StepSchedule& schedule, RunOutputs outputs);

  /// From the initial state to the end, or to the step in which a rank received SIGINT or SIGTERM; the last state is always written.
  /// `particles` is this rank's share; they are gone once the simulation has them. Collective. Throws what the simulation and the outputs
  /// throw.
  RunReport run(ParticleSet particles);

 private:
  StepTiming timed(const std::function<void()>& work);
  void record(std::uint64_t step, const StepTiming& timing);
  void write_snapshot(std::uint64_t step);
  void show_progress(std::uint64_t step, double step_s);

  Simulation& simulation_;
  const Communicator& comm_;
  const StepSchedule& schedule_;
  RunOutputs outputs_;
  EnergyReference energy_;
  RunReport report_;
  double began_s_ = 0, stepping_began_s_ = 0;
};

}  // namespace grove
