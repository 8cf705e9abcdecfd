// The loop over the steps of a run, with the observers of each state.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "src/run/files/energy_log.hpp"
#include "src/run/files/phase_statistics.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/loop/run_requests.hpp"
#include "src/run/observers/observer.hpp"
#include "src/run/resume/checkpoints.hpp"
#include "src/run/resume/continuation.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// What a run and its checkpoints are asked for from outside, where there are any.
struct RunControls {
  Checkpoints* checkpoints = nullptr;
  RunRequests* requests = nullptr;
  const OutputDirectory* directory = nullptr;  ///< for the list of particles that are not finite; null: none is written
  std::function<void(const std::string&)> say = [](const std::string&) {};  ///< to the user, on the root
  std::uint64_t forces_a_step = 0;                                          ///< 0: not one number
};

/// What a run did, the same on every rank.
struct RunReport {
  std::uint64_t first_step = 0;      ///< taken before
  std::uint64_t steps = 0;           ///< taken, with those before
  std::vector<std::string> written;  ///< what each observer wrote, in words
  KeptState kept;                    ///< the newest state on the disk
  FirstEnergies first_energies;      ///< of step 0
  double time = 0;                   ///< reached, code units
  EnergyState last;
  double largest_energy_error = 0;    ///< largest |relative energy error| after any step
  double largest_own_error = 0;       ///< the same of the own energy error
  bool energy_has_jumped = false;     ///< settings were changed on the way
  double error_of_steps = 0;          ///< own energy error at the end, since settings were changed last
  double largest_error_of_steps = 0;  ///< the largest |value| of it
  StepTiming start;                   ///< the first force evaluation
  StepTiming steps_total;             ///< all steps together, with energies and logs, without other output
  int ranks = 1;
  std::uint64_t most_bytes_held = 0;  ///< during any force evaluation, on the rank that held the most
  double output_s = 0;                ///< wall time that the steps waited for output other than rows of logs, on the root
  double writing_s = 0;           ///< wall time from the requests for snapshots to their closed files, on the root, also in the background
  double checkpoints_s = 0;       ///< wall time of the checkpoints
  std::uint64_t checkpoints = 0;  ///< written
  std::string checkpoint;         ///< the last one; empty: none
  double wall_s = 0;              ///< from the first force evaluation to the last output
  StopCause stop = StopCause::none;  ///< why the run ended early
  int signal = 0;                    ///< that stopped it, or 0
};

/// The energies after settings were changed last, and the largest own energy error since; missing where they were not.
inline constexpr const char* saved_energies_after_change = "run.energies_after_change";

/// Steps a simulation along a schedule, from which all times come.
class RunLoop {
 public:
  /// The loop owns `observers`; all other arguments must outlive it.
  RunLoop(Simulation& simulation, const Communicator& comm, const StepSchedule& schedule, Observers observers, RunControls controls = {});

  /// From the beginning, or from a restart point, to the end, or to the step after which the run is asked to stop: see StopSignals and
  /// RunRequests. Where there are checkpoints, one is written at the beginning of a new run, when one is due, and at the end. `particles`
  /// is this rank's share, also of a restart point; its memory is freed once the simulation has its own copy. Collective. Throws what the
  /// simulation and the observers throw.
  RunReport run(ParticleSet particles, const RestartPoint& from = {});

 private:
  /// What can be asked of the run after a step, the last one of the next step: numbers, the same on all ranks; 0: it is not.
  enum Request { stop_cause, stop_signal, observer_failed, checkpoint_due, checkpoint_asked_for, directory_lost, checkpoint_due_next };
  using Requests = std::array<int, checkpoint_due_next + 1>;

  StepTiming begin(ParticleSet particles, const RestartPoint& from);
  void take_step(std::uint64_t step);
  bool may_overlap_with_next(std::uint64_t step) const;
  Requests collect_requests();
  void fulfil(const Requests& requests);
  void end();
  void write_checkpoint(bool is_needed);
  StepTiming timed(const std::function<void()>& work);
  void count_output(double began_s);
  void with_list_of_not_finite(const std::function<void()>& work, std::uint64_t step);
  RunState state_after(std::uint64_t step, const StepTiming& timing) const;
  void measure_energy();
  void measure_error_of_steps();
  void observe(Observer& observer, const RunState& state);
  void observe_state();
  void observe_state_before_error();
  void observe_stop();
  void note_kept(const KeptState& state);
  void finish_observers();

  Simulation& simulation_;
  const Communicator& comm_;
  const StepSchedule& schedule_;
  Observers observers_;
  RunControls controls_;
  std::optional<FirstEnergies> first_energies_, energies_after_change_;  ///< the second ones only after a change of settings
  RunReport report_;
  std::string choice_said_;         ///< Simulation::choice_of_steps(), as the user knows it
  StepTiming timing_;               ///< of the last step
  std::optional<RunState> unseen_;  ///< after the last step, if its observers have not looked at it yet
  bool needs_next_state_ = true;    ///< a request needs the particles after the next step; the same on all ranks
  double began_s_ = 0, stepping_began_s_ = 0;
  double timed_until_s_ = 0;                      ///< what was until then is in the time of a step, or is output
  double output_since_s_ = 0;                     ///< output since then
  double turn_began_s_ = 0, longest_turn_s_ = 0;  ///< of a step with its output
};

}  // namespace grove
