// The checkpoints of a run: when they are due, and the two that are kept.
#pragma once

#include <cstdint>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/observers/observer.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// The name in a saved state of what the run loop saves: the energies of step 0, total, own and scale of own, and the largest of both
/// errors since.
inline constexpr const char* saved_energies = "run.energies";
/// Names in a saved state of what Checkpoints adds.
inline constexpr const char *saved_configuration = "run.configuration", *saved_step = "run.step", *saved_device = "run.device",
                            *saved_version = "run.version", *saved_components = "run.components";

/// The names of the components that a checkpoint keeps. Throws DataError.
ComponentNames component_names_in(const SavedState& state);

/// "GPU" or "CPU".
std::string name_of_device_kind(bool is_gpu);

/// Adds to the state of a run what says where it comes from, under these names, and what the simulation saves. Collective.
void put_run(const Config& config, const ComponentNames& components, std::uint64_t step, const Simulation& simulation, SavedState& state);

/// Writes checkpoints between the steps, alternately to two files: the older one is replaced when the new one is complete.
class Checkpoints {
 public:
  /// `next`: the generation to be written next. The arguments must outlive the object.
  Checkpoints(const Config& config, const OutputDirectory& directory, const Communicator& comm, int next = 0,
              const ComponentNames& components = usual_component_names());

  /// Whether one is due after `step`, by steps or by the clock of this rank. Not collective.
  bool due(std::uint64_t step) const;
  /// Writes the particles of the simulation, its state, and `state`, that of the run after `step`. Collective. Throws AgreedError when that
  /// cannot be done; with output.on_error = "continue" only if `is_needed`. The earlier checkpoints then stay.
  void write(Simulation& simulation, SavedState state, std::uint64_t step, bool is_needed);

  /// The one written last; empty: none.
  const std::string& last() const { return last_.file; }
  const KeptState& kept_state() const { return last_; }
  /// Whether the state after `step` is in a checkpoint.
  bool has(std::uint64_t step) const { return !last_.file.empty() && last_.step == step; }
  std::uint64_t count() const { return count_; }
  /// Wall time of all checkpoints, and of the one that took longest, s.
  double seconds() const { return seconds_; }
  double longest_s() const { return longest_s_; }

 private:
  const Config& config_;
  const OutputDirectory& directory_;
  const Communicator& comm_;
  ComponentNames components_;
  int next_;
  KeptState last_;
  std::uint64_t count_ = 0;
  double seconds_ = 0, longest_s_ = 0;
  double ended_s_;  ///< when the last one was complete, or the run began
};

}  // namespace grove
