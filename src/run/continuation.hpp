// What a run goes on from: a checkpoint in its output directory, or a snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "io/saved_state.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"
#include "src/run/output_directory.hpp"
#include "src/run/step_schedule.hpp"

namespace grove {

/// A whole checkpoint of an output directory.
struct FoundCheckpoint {
  std::string file;
  int generation = 0;
  SavedState state;
};

/// What there is to go on from; the same on all ranks.
struct Continuation {
  enum class Source : std::uint8_t { nothing, snapshot, checkpoint };
  Source source = Source::nothing;
  std::string file;            ///< empty: nothing
  std::uint64_t step = 0;      ///< that the run has reached; of a snapshot it is not known yet
  std::uint64_t snapshot = 0;  ///< number of the snapshot
  int next_checkpoint = 0;     ///< generation to be written next
  SavedState state;            ///< of a checkpoint; that of a snapshot follows from its time
  ParticleSet particles;       ///< of a checkpoint: those of this rank
  /// The snapshots that follow differ, in time or content, from those that the run before would have written.
  bool writes_other_snapshots = false;
  std::vector<std::string> notes;  ///< for the user, one sentence each
};

/// The run that is to go on.
struct ContinuingRun {
  const OutputDirectory& directory;
  const Config& config;
  const StepSchedule& schedule;
  FieldTablePtr fields;  ///< of its particles
  bool is_on_gpu = false;
  bool force_config = false;  ///< settings that change what it computes may differ
};

/// The settings that differ and change what a run computes: "time.dt = 0.1, before 0.2". Those of [output] and [run] may change, and the
/// end of the run.
std::vector<std::string> changed_physics(const Config& before, const Config& now);

/// The checkpoints of a directory that can be read, the newest first. Adds a sentence to `notes` for each that cannot. Collective; throws
/// AgreedError.
std::vector<FoundCheckpoint> find_checkpoints(const OutputDirectory& directory, const Communicator& comm, std::vector<std::string>& notes);

/// Takes the newest checkpoint whose particles can be read as well, or else names the newest snapshot; the particles of that are left to
/// the reader of initial conditions. With a checkpoint that holds the end of the run, the particles are not read. Collective; throws
/// AgreedError: for settings that differ, for a time of the checkpoint that the schedule does not have, and when there are checkpoints,
/// none of which can be read, and no snapshots.
Continuation find_continuation(const ContinuingRun& run, const Communicator& comm);

/// The state of a run of which only snapshot number `snapshot` is left, after `step`. The first energy comes from energy.csv. Logs must
/// have the rows of all states so far, unless `rows_may_lack`. Not collective; throws as read_csv_log().
SavedState state_of_snapshot(const OutputDirectory& directory, std::uint64_t snapshot, std::uint64_t step, const StepSchedule& schedule,
                             bool rows_may_lack);

}  // namespace grove
