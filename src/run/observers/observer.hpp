// Observers: what happens during a run beside the steps. They look at the state after a step and write results.
#pragma once

#include <cstdint>
#include <string>

#include "io/saved_state.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

struct Config;
struct EnergyState;
struct StepTiming;
class OutputDirectory;
class StepSchedule;

/// The state after a step, the same on all ranks. Step 0 is the initial state.
struct RunState {
  std::uint64_t step = 0;
  double time = 0;  ///< code units
  const StepTiming& timing;
  const EnergyState& energy;
  double elapsed_s = 0;  ///< wall time since the first step began, with output
  bool is_last = false;  ///< the run ends here, at its end or because of a signal
};

/// A state of a run in a file from which it can go on; without a name, there is none.
struct KeptState {
  std::string file;
  std::uint64_t step = 0;
  double time = 0;  ///< code units
};

/// Something that happens during a run. One object a rank.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Whether it is to see this state. The same on all ranks; does not communicate.
  virtual bool due(const RunState& state) const = 0;
  /// Whether it looks at the particles. Then due() does not look at timing, energy or elapsed_s, which are not known when it is asked.
  virtual bool looks_at_particles() const { return true; }
  /// Looks at the state. Work may go on after it, beside the steps. Collective. Throws AgreedError if it cannot do its work, or could not
  /// do what went on.
  virtual void observe(const RunState& state) = 0;
  /// Waits until nothing goes on any more. Collective. Throws AgreedError if the work could not be done.
  virtual void finish() {}
  /// Whether work that went on has failed on this rank; finish() then throws. Does not wait, does not communicate.
  virtual bool has_failed() const { return false; }
  /// Wall time of the work that has ended, from the request to its end, s; for work that may go on beside the steps.
  virtual double writing_s() const { return 0; }
  /// Whether its time is counted as output, and not as that of the step.
  virtual bool is_output() const { return true; }
  /// Puts what it needs to go on into `state`, after finish(), and has all that it wrote on the disk. The same on all ranks. An observer of
  /// a run that goes on finds it in ObserverSetup::resume. Collective. Throws AgreedError.
  virtual void save(SavedState&) {}
  /// What it wrote, for the user; empty: nothing.
  virtual std::string written() const { return ""; }
  /// The newest state that is whole on the disk, after finish().
  virtual KeptState kept_state() const { return {}; }
};

/// How a run tells of its progress.
enum class ProgressStyle { in_place, lines, silent };

/// The data of a run that observers need. All of it outlives them.
struct ObserverSetup {
  const Config& config;
  const OutputDirectory& directory;
  const StepSchedule& schedule;
  std::string device;  ///< description, for files
  ProgressStyle progress = ProgressStyle::silent;
  std::uint64_t first_step = 0;        ///< the steps that were taken before; > 0 where a run goes on
  std::uint64_t states_seen = 0;       ///< by the observers of the run before, that of step 0 among them; 0: a new run
  const SavedState* resume = nullptr;  ///< what they have saved; null: a new run
  ComponentNames components = usual_component_names();
};

}  // namespace grove
