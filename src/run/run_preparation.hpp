// A run from its configuration to the state before its first step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "kernels/space/device_state.hpp"
#include "src/config/config.hpp"
#include "src/run/continuation.hpp"
#include "src/run/directory_lock.hpp"
#include "src/run/initial_state.hpp"
#include "src/run/observers/observer.hpp"
#include "src/run/output_directory.hpp"
#include "src/run/run_loop.hpp"
#include "src/run/step_schedule.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// What the user wants to become of an earlier run in the output directory. Where nothing is wanted, its results are an error.
struct EarlierRunOptions {
  bool overwrite = false;     ///< its results are set aside
  bool continues = false;     ///< go on from it; begin a new run if there is nothing
  bool force_config = false;  ///< go on although settings that change what is computed are others than before
};

/// Makes what a run consists of, in stages: the constructor, load_particles(), prepare_directory(). Whatever can fail at once comes before
/// anything slow, and the files in the output directory stay as they are until the last stage. Stages are collective and throw AgreedError.
class RunPreparation {
 public:
  /// Locks the output directory, if it is there; makes schedule and simulation; finds the state to go on from. `comm` must outlive the
  /// object.
  RunPreparation(Config config, const EarlierRunOptions& earlier, const Communicator& comm);
  RunPreparation(const RunPreparation&) = delete;
  RunPreparation& operator=(const RunPreparation&) = delete;

  /// Whether the state to go on from is the end of the run: there is nothing left to do.
  bool is_over() const { return goes_on() && from_.step == schedule_->steps(); }
  /// Makes or reads the particles, or takes those of the state to go on from. A run that cannot fit is refused, as soon as the number of
  /// its particles is known.
  void load_particles();
  /// Makes the output directory, locks it, and does with earlier results what the user wants. The disk must have room.
  void prepare_directory();

  const Config& config() const { return config_; }
  const OutputDirectory& directory() const { return directory_; }
  const StepSchedule& schedule() const { return *schedule_; }
  Simulation& simulation() const { return *simulation_; }
  const DeviceState& device() const { return device_; }  ///< before there were particles
  const Continuation& from() const { return from_; }     ///< its particles are in state()
  InitialState& state() { return state_; }               ///< the particles are there to be taken
  const InitialState& state() const { return state_; }
  /// What the user should know, one sentence each.
  const std::vector<std::string>& advice() const { return advice_; }

  /// Where the run loop begins. Refers to this object.
  RunBeginning beginning() const;
  /// The data for observers. Refers to this object.
  ObserverSetup observer_setup(ProgressStyle progress) const;

 private:
  bool goes_on() const { return from_.source != Continuation::Source::nothing; }
  void lock_directory();
  void find_earlier_state();
  void load_what_fits();
  void require_memory_for(std::uint64_t particles, bool are_loaded);
  InitialState take_state_of_earlier_run();
  void advise_on_machine();
  EarlierResults earlier_results() const;
  void require_input_elsewhere() const;
  std::vector<std::string> make_directory() const;
  void advise(const std::string& sentence);
  void advise(const std::vector<std::string>& sentences);

  const EarlierRunOptions earlier_;
  const Communicator& comm_;
  Config config_;
  const OutputDirectory directory_;
  DirectoryLock lock_;  ///< of the root
  std::unique_ptr<StepSchedule> schedule_;
  std::unique_ptr<Simulation> simulation_;
  DeviceState device_;
  Continuation from_;
  InitialState state_;
  std::vector<std::string> advice_;
};

}  // namespace grove
