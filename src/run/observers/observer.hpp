// Observers look at the state after a step and write results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/base/saved_state.hpp"
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

/// A state of a run in a file at which it can continue; without a file name there is none.
struct KeptState {
  std::string file;
  std::uint64_t step = 0;
  double time = 0;  ///< code units
};

/// Something that happens during a run. One object a rank.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Whether it looks at this state. The same on all ranks; does not communicate.
  virtual bool due(const RunState& state) const = 0;
  /// Whether it looks at the particles. Then due() must not use timing, energy or elapsed_s, which are not known when it is called.
  virtual bool looks_at_particles() const { return true; }
  /// Looks at the state. Work may continue in the background. Collective. Throws AgreedError if this or earlier work fails.
  virtual void observe(const RunState& state) = 0;
  /// Waits for the background work. Collective. Throws AgreedError if it failed.
  virtual void finish() {}
  /// Whether background work has failed on this rank; finish() then throws. Neither waits nor communicates.
  virtual bool has_failed() const { return false; }
  /// Wall time of all complete background work, from request to end, s.
  virtual double writing_s() const { return 0; }
  /// Whether its time counts as output, not as part of the step.
  virtual bool is_output() const { return true; }
  /// After finish(), saves in `state` what it needs to continue, the same on all ranks, and has all that it wrote on the disk. When the run
  /// continues, ObserverSetup::resume has it. Collective. Throws AgreedError.
  virtual void save(SavedState&) {}
  /// The files that it wrote, for the user.
  virtual std::string written() const { return ""; }
  /// The newest state on the disk, after finish().
  virtual KeptState kept_state() const { return {}; }
};

using Observers = std::vector<std::unique_ptr<Observer>>;

/// How a run shows its progress.
enum class ProgressStyle { in_place, lines, silent };

/// The data of a run that observers need. All of it outlives them.
struct ObserverSetup {
  const Config& config;
  const OutputDirectory& directory;
  const StepSchedule& schedule;
  std::string device;  ///< description, for files
  ProgressStyle progress = ProgressStyle::silent;
  std::uint64_t first_step = 0;        ///< taken by the earlier part of the run
  const SavedState* resume = nullptr;  ///< what observers have saved; null: a new run
  ComponentNames components = usual_component_names();
};

}  // namespace grove
