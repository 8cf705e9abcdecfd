// A run from its configuration to the state before its first step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/space/device_state.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/observers/observer.hpp"
#include "src/run/resume/continuation.hpp"
#include "src/run/start/initial_state.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// What the user wants to be done with an earlier run in the output directory. Without a wish, its results are an error.
struct EarlierRunOptions {
  bool overwrite = false;     ///< its results are set aside
  bool continues = false;     ///< the run continues it, or is a new one if there is none
  bool force_config = false;  ///< also where settings that change what is computed differ
};

/// Makes the parts of a run in stages: the constructor, load_particles(), prepare_directory(). What can fail quickly comes first, and the
/// files in the output directory do not change before the last stage. Stages are collective and throw AgreedError.
class RunPreparation {
 public:
  /// Locks the output directory, if it exists; makes schedule and simulation; finds the restart point. `comm` must outlive the object.
  RunPreparation(Config config, const EarlierRunOptions& earlier, const Communicator& comm);
  RunPreparation(const RunPreparation&) = delete;
  RunPreparation& operator=(const RunPreparation&) = delete;

  /// Whether the restart point is the end of the run: there is nothing left to do.
  bool is_over() const { return restart_.exists() && restart_.step == schedule_->steps(); }
  /// Makes or reads the particles, or takes those of the restart point. A run that cannot fit into memory is refused as soon as the number
  /// of its particles is known.
  void load_particles();
  /// Makes the output directory, locks it, and does with earlier results what the user wants. Fails if the disk lacks room.
  void prepare_directory();

  const Config& config() const { return config_; }
  const OutputDirectory& directory() const { return directory_; }
  const StepSchedule& schedule() const { return *schedule_; }
  Simulation& simulation() const { return *simulation_; }
  const DeviceState& device() const { return device_; }           ///< before there were particles
  const RestartPoint& restart_point() const { return restart_; }  ///< its particles are in state()
  InitialState& state() { return state_; }                        ///< the particles are there to be taken
  const InitialState& state() const { return state_; }
  /// Bytes that are still to be written, without logs and pictures. On the root.
  double output_bytes() const { return output_bytes_; }
  /// Notes for the user, one sentence each.
  const std::vector<std::string>& advice() const { return advice_; }

  /// The data for observers. Refers to this object.
  ObserverSetup observer_setup(ProgressStyle progress) const;

 private:
  void make_schedule();
  void take_step_of_earlier_run();
  void choose_step();
  void lock_directory();
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
  std::optional<StepSchedule> schedule_;
  std::unique_ptr<Simulation> simulation_;
  DeviceState device_;
  RestartPoint restart_;
  InitialState state_;
  double output_bytes_ = 0;
  std::vector<std::string> advice_;
};

}  // namespace grove
