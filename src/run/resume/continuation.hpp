// Where a run continues: at a checkpoint in its output directory, or at a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/step_schedule.hpp"

namespace grove {

/// The state at which a run continues; the same on all ranks.
struct RestartPoint {
  std::string file{};          ///< empty: there is none, the run is a new one
  bool is_checkpoint = false;  ///< else a snapshot
  std::uint64_t step = 0;      ///< that the run has reached
  int next_checkpoint = 0;     ///< generation to be written next
  SavedState state{};          ///< of a checkpoint; that of a snapshot follows from its time and the logs
  ParticleSet particles{};     ///< of this rank
  ComponentNames components = usual_component_names();
  bool energy_jumps = false;            ///< changed settings change the forces
  bool writes_other_snapshots = false;  ///< the following ones differ, in time or content, from those of the unchanged run
  bool writes_other_pictures = false;   ///< as for snapshots
  std::vector<std::string> notes{};     ///< for the user, one sentence each

  bool exists() const { return !file.empty(); }
};

/// The run that continues.
struct ContinuedRun {
  const OutputDirectory& directory;
  const Config& config;
  StepSchedule& schedule;  ///< its steps get numbers that follow those of the earlier part
  FieldTablePtr fields;    ///< of its particles
  bool is_on_gpu = false;
  bool force_config = false;  ///< settings that change what it computes may differ
};

/// Takes the newest checkpoint whose particles can be read, or else the newest such snapshot. The particles of a checkpoint at the end of
/// the run are not read. Collective; throws AgreedError: for settings that differ, for a time of the state that the schedule does not have,
/// for logs that end before it, and when there are checkpoints or snapshots, none of which can be read.
RestartPoint find_restart_point(const ContinuedRun& run, const Communicator& comm);

}  // namespace grove
