// The loop over the steps of a run, with the observers of each state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "src/run/observers/energy_log.hpp"
#include "src/run/phase_statistics.hpp"
#include "src/run/step_schedule.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// What a run did, the same on every rank.
struct RunReport {
  std::uint64_t steps = 0;           ///< taken
  std::vector<std::string> written;  ///< what each observer wrote, in words
  std::string last_state;            ///< the file that holds the state reached; empty: there is none
  double time = 0;                   ///< reached, code units
  EnergyState first, last;
  double largest_energy_error = 0;  ///< largest |relative energy error| after any step
  StepTiming start;                 ///< the first force evaluation
  StepTiming steps_total;           ///< all steps together, without output
  double output_s = 0;              ///< wall time that the steps waited for output, on the root
  double writing_s = 0;             ///< wall time from the requests for snapshots to their closed files, on the root, also beside the steps
  double wall_s = 0;                ///< from the first force evaluation to the last output
  int signal = 0;                   ///< that stopped the run early, or 0
};

using Observers = std::vector<std::unique_ptr<Observer>>;

/// Steps a simulation along a schedule, from which all times come.
class RunLoop {
 public:
  /// The loop owns `observers`; all other arguments must outlive it.
  RunLoop(Simulation& simulation, const Communicator& comm, const StepSchedule& schedule, Observers observers);

  /// From the initial state to the end, or to the step in which a rank received SIGINT or SIGTERM. `particles` is this rank's share; its
  /// memory is freed once the simulation has its own copy. Collective. Throws what the simulation and the observers throw.
  RunReport run(ParticleSet particles);

 private:
  StepTiming timed(const std::function<void()>& work);
  RunState state_after(std::uint64_t step, const StepTiming& timing) const;
  void measure_energy();
  void observe(Observer& observer, const RunState& state);
  void observe_stop(const StepTiming& timing);
  void finish_observers();

  Simulation& simulation_;
  const Communicator& comm_;
  const StepSchedule& schedule_;
  Observers observers_;
  EnergyReference energy_;
  RunReport report_;
  double began_s_ = 0, stepping_began_s_ = 0;
};

}  // namespace grove
