// Where a run continues: at a checkpoint in its output directory, or at a snapshot.
#pragma once

#include <cstdint>
#include <optional>
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
  bool energy_jumps = false;               ///< changed settings change the forces
  bool writes_other_snapshots = false;     ///< the following ones differ, in time or content, from those of the unchanged run
  bool writes_other_pictures = false;      ///< as for snapshots
  std::vector<std::string> notes{};        ///< for the user, one sentence each
  std::optional<StepSchedule> schedule{};  ///< of the run that continues

  bool exists() const { return !file.empty(); }
};

/// The run that continues.
struct ContinuedRun {
  const OutputDirectory& directory;
  const Config& config;
  FieldTablePtr fields;  ///< of its particles
  bool is_on_gpu = false;
  bool force_config = false;  ///< settings that change what it computes may differ
};

/// The steps of a run as its configuration says, from its beginning or, as its later steps, from `begin` on. Throws ConfigError.
StepSchedule schedule_of(const Config& config, std::optional<double> begin = {});

/// The steps after the state of an earlier run at the time `reached`, numbered from its `step` on. With time.dt and time.begin as they
/// were, they are the steps that the run would have taken: they divide the run from `base` on, which a checkpoint tells. Otherwise what is
/// left of the run is divided. `source`: the file with the state. Throws ConfigError.
StepSchedule schedule_from(double reached, std::uint64_t step, std::optional<double> base, const Config* before, const Config& now,
                           const std::string& source);

/// What a checkpoint says of the schedule: begin().
inline constexpr const char* saved_schedule_begin = "run.schedule_begin";

/// Takes the newest checkpoint whose particles can be read, or else the newest such snapshot. The particles of a checkpoint at the end of
/// the run are not read. Collective; throws AgreedError: for settings that differ, for a time of the state that the schedule does not have,
/// for logs that the run cannot continue, and when there are checkpoints or snapshots, none of which can be read.
RestartPoint find_restart_point(const ContinuedRun& run, const Communicator& comm);

}  // namespace grove
