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
  std::string file;         ///< empty: nothing
  std::uint64_t step = 0;   ///< that the run has reached
  int next_checkpoint = 0;  ///< generation to be written next
  SavedState state;         ///< of a checkpoint; that of a snapshot follows from its time
  ParticleSet particles;    ///< of this rank
  ComponentNames components = usual_component_names();
  bool energy_jumps = false;  ///< forces are others than before, since settings have been changed
  /// The snapshots that follow differ, in time or content, from those that the run before would have written.
  bool writes_other_snapshots = false;
  bool writes_other_pictures = false;  ///< the same of pictures
  std::vector<std::string> notes;  ///< for the user, one sentence each
};

/// The run that is to go on.
struct ContinuingRun {
  const OutputDirectory& directory;
  const Config& config;
  StepSchedule& schedule;  ///< its steps are then numbered on from those of the run before
  FieldTablePtr fields;    ///< of its particles
  bool is_on_gpu = false;
  bool force_config = false;  ///< settings that change what it computes may differ
};

/// The checkpoints of a directory that can be read, the newest first. Adds a sentence to `notes` for each that cannot. Collective; throws
/// AgreedError.
std::vector<FoundCheckpoint> find_checkpoints(const OutputDirectory& directory, const Communicator& comm, std::vector<std::string>& notes);

/// Where the user gives no gravity.G, a run keeps the one that it had: runs of Grove's first versions had 1 in physical units, too. Sets it
/// in `config`, and returns a sentence if it is another than that of the units. Collective; throws AgreedError.
std::string keep_former_G(Config& config, const OutputDirectory& directory, const Communicator& comm);

/// Takes the newest checkpoint whose particles can be read as well, or else the newest such snapshot. With a checkpoint that holds the end
/// of the run, the particles are not read. Collective; throws AgreedError: for settings that differ, for a time of the state that the
/// schedule does not have, for logs that end before it, and when there are checkpoints or snapshots, none of which can be read.
Continuation find_continuation(const ContinuingRun& run, const Communicator& comm);

}  // namespace grove
