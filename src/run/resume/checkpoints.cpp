#include "src/run/resume/checkpoints.hpp"

#include <algorithm>
#include <sstream>

#include "io/snapshots/checkpoint.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config_print.hpp"
#include "src/process/wall_clock.hpp"
#include "src/run/files/output_errors.hpp"
#include "src/run/files/version.hpp"

namespace grove {

std::string name_of_device_kind(bool is_gpu) { return is_gpu ? "GPU" : "CPU"; }

ComponentNames component_names_in(const SavedState& state) {
  ComponentNames names = usual_component_names();
  std::istringstream lines(state.text(saved_components));
  for (std::string& name : names)
    if (!std::getline(lines, name) || name.empty()) throw DataError(std::string(saved_components) + ": a name is missing");
  return names;
}

void put_run(const Config& config, const ComponentNames& components, std::uint64_t step, const Simulation& simulation, SavedState& state) {
  simulation.save(state);
  state.put_count(saved_step, step);
  state.put(saved_configuration, print_config(config));
  std::string names;  // one a line: is_component_name()
  for (const std::string& name : components) names += name + '\n';
  state.put(saved_components, names);
  state.put(saved_version, version_line());
  state.put(saved_device, name_of_device_kind(simulation.device_state().is_gpu()));
}

Checkpoints::Checkpoints(const Config& config, const OutputDirectory& directory, const Communicator& comm, int next,
                         const ComponentNames& components)
    : config_(config), directory_(directory), comm_(comm), components_(components), next_(next), ended_s_(wall_clock_s()) {}

bool Checkpoints::due(std::uint64_t step) const {
  const OutputParameters& output = config_.output;
  if (output.checkpoint_steps > 0 && step % output.checkpoint_steps == 0) return true;
  return output.checkpoint_minutes > 0 && wall_clock_s() - ended_s_ >= 60 * output.checkpoint_minutes;
}

void Checkpoints::write(Simulation& simulation, SavedState state, std::uint64_t step, bool is_needed) {
  const double began = wall_clock_s();
  put_run(config_, components_, step, simulation, state);
  const std::string path = directory_.checkpoint(next_);
  ended_s_ = began;  // also counts for the next one if this one fails
  const auto write = [&] {
    comm_.agree([&] {
      if (comm_.is_root()) require_free_or_own(path);
    });
    const Hdf5Turn turn;
    write_checkpoint(path, *simulation.columns(), state, comm_, turn);
  };
  if (is_needed)
    write();
  else if (!succeeds_or_continues(config_.output.on_error == "continue", comm_, write))
    return;
  next_ = (next_ + 1) % OutputDirectory::checkpoint_generations;
  last_ = {path, step, simulation.time()};
  ++count_;
  ended_s_ = wall_clock_s();
  seconds_ += ended_s_ - began;
  longest_s_ = std::max(longest_s_, ended_s_ - began);
}

}  // namespace grove
