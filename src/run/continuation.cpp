#include "src/run/continuation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "io/checkpoint_file.hpp"
#include "kernels/space/error.hpp"
#include "src/config/config_table.hpp"
#include "src/run/checkpoints.hpp"
#include "src/run/observers/energies.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/observers/timings.hpp"
#include "src/run/run_loop.hpp"
#include "src/run/same_on_all_ranks.hpp"
#include "src/version.hpp"

namespace grove {

namespace {

/// "section.key" and the value of every setting that changes what a run computes.
std::map<std::string, std::string> physics_of(const Config& config) {
  std::map<std::string, std::string> settings;
  for (const std::string& assignment : assignments(config)) {
    const std::size_t equals = assignment.find(" = ");
    const std::string name = assignment.substr(0, equals);
    if (!name.starts_with("output.") && !name.starts_with("run.") && name != "time.end") settings[name] = assignment.substr(equals + 3);
  }
  return settings;
}

/// Whether all settings are the same that have an effect on snapshots.
bool same_snapshots(const Config& before, const Config& now) {
  const auto of_snapshots = [](const Config& config) {
    std::vector<std::string> settings;
    for (const std::string& assignment : assignments(config)) {
      const auto begins = [&](const char* name) { return assignment.starts_with(name); };
      if (!begins("run.") && !begins("output.checkpoint") && !begins("output.beside") && !begins("output.on_error") &&
          !begins("output.directory"))
        settings.push_back(assignment);
    }
    return settings;
  };
  return of_snapshots(before) == of_snapshots(now);
}

Config former_config(const FoundCheckpoint& found) { return parse_config(found.state.text(saved_configuration), found.file, {}); }

void require_same_physics(const FoundCheckpoint& found, const Config& config, bool force, std::vector<std::string>& notes) {
  const std::vector<std::string> changed = changed_physics(former_config(found), config);
  if (changed.empty()) return;
  const std::string list = fmt::format("{}", fmt::join(changed, "; "));
  if (!force)
    throw ConfigError(
        fmt::format("the configuration is not that of the run in {}: {}; give the former values, or --force-config to go on with "
                    "the new ones",
                    found.file, list));
  notes.push_back("the run goes on with other settings than before: " + list);
}

/// Why what follows does not have the bits of the run before; empty: it has.
std::string why_not_exact(const SavedState& state, bool is_on_gpu, const Communicator& comm) {
  std::vector<std::string> reasons;
  const std::size_t before = state.counts(particles_of_ranks).size();
  if (before != static_cast<std::size_t>(comm.size())) reasons.push_back(fmt::format("of {} ranks, now {}", before, comm.size()));
  if (state.text(saved_version) != version_line()) reasons.push_back("of " + state.text(saved_version));
  const std::string device = name_of_device_kind(is_on_gpu), &device_before = state.text(saved_device);
  if (device_before != device) reasons.push_back(fmt::format("of {}s, now {}s", device_before, device));
  if (reasons.empty()) return "";
  return fmt::format("the checkpoint is one {}: from here on the last digits differ from those of a run without interruption",
                     fmt::join(reasons, ", and "));
}

std::optional<SavedState> read_state(const std::string& file, std::string& complaint) {
  if (::access(file.c_str(), F_OK) != 0) return std::nullopt;
  try {
    return read_checkpoint_state(file);
  } catch (const DataError& error) {
    // The other generation may be whole.
    complaint = error.what();
    return std::nullopt;
  }
}

std::uint64_t step_of(const FoundCheckpoint& found, const StepSchedule& schedule) {
  return schedule.step_at(found.state.number("simulation.time"), found.file);
}

/// Reads the particles; false, with a note, if the file is damaged. Collective.
bool read_particles_of(const FoundCheckpoint& found, const Communicator& comm, const FieldTablePtr& fields, Continuation& continuation) {
  try {
    continuation.particles = read_checkpoint_particles(found.file, found.state, comm, fields);
  } catch (const AgreedError& error) {
    // All ranks know of it, and go on with the other generation together.
    if (error.exit_code() != exit_code_of(DataError(""))) throw;
    continuation.notes.push_back(error.what());
    return false;
  }
  return true;
}

/// Where no checkpoint can be read.
void find_snapshot(const OutputDirectory& directory, const Communicator& comm, Continuation& continuation) {
  std::uint64_t number = 0;
  comm.agree([&] {
    if (!comm.is_root()) return;
    const std::vector<std::uint64_t> snapshots = directory.snapshots();
    if (!snapshots.empty()) number = snapshots.back();
    if (number == 0 && !continuation.notes.empty())
      throw DataError(
          fmt::format("{}; there is neither another checkpoint nor a snapshot to go on from", fmt::join(continuation.notes, "; ")));
  });
  comm.broadcast(std::span<std::uint64_t>(&number, 1));
  // A snapshot of the initial conditions is no better than these.
  if (number == 0) return;
  continuation.source = Continuation::Source::snapshot;
  continuation.snapshot = number;
  continuation.file = directory.snapshot(number);
  continuation.notes.push_back(
      "there is no checkpoint: the run goes on from a snapshot, with forces computed anew. This is not exact: the last "
      "digits differ from those of a run without interruption");
}

}  // namespace

std::vector<std::string> changed_physics(const Config& before, const Config& now) {
  const auto old_ones = physics_of(before), new_ones = physics_of(now);
  const auto value = [](const auto& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string("not set") : found->second;
  };
  std::map<std::string, std::string> all = old_ones;
  all.insert(new_ones.begin(), new_ones.end());
  std::vector<std::string> changed;
  for (const auto& [name, unused] : all)
    if (value(old_ones, name) != value(new_ones, name))
      changed.push_back(fmt::format("{} = {}, before {}", name, value(new_ones, name), value(old_ones, name)));
  return changed;
}

std::vector<FoundCheckpoint> find_checkpoints(const OutputDirectory& directory, const Communicator& comm, std::vector<std::string>& notes) {
  std::vector<FoundCheckpoint> found;
  for (int generation = 0; generation < OutputDirectory::checkpoint_generations; ++generation) {
    const std::string file = directory.checkpoint(generation);
    std::optional<SavedState> state;
    std::string complaint;
    comm.agree([&] { state = read_state(file, complaint); });
    // The root decides what there is.
    int is_there = state ? 1 : 0;
    comm.broadcast(std::span<int>(&is_there, 1));
    comm.broadcast(complaint);
    if (!complaint.empty()) notes.push_back(complaint);
    if (is_there == 0) continue;
    comm.agree([&] {
      if (!state) throw SystemError(file + ": cannot be read, although rank 0 can; all ranks must see one directory");
    });
    found.push_back({file, generation, std::move(*state)});
  }
  std::stable_sort(found.begin(), found.end(), [](const FoundCheckpoint& a, const FoundCheckpoint& b) {
    return a.state.count(saved_step) > b.state.count(saved_step);
  });
  return found;
}

Continuation find_continuation(const ContinuingRun& run, const Communicator& comm) {
  Continuation continuation;
  std::vector<std::string>& notes = continuation.notes;
  for (FoundCheckpoint& found : find_checkpoints(run.directory, comm, notes)) {
    comm.agree([&] {
      require_same_physics(found, run.config, run.force_config, notes);
      continuation.step = step_of(found, run.schedule);
    });
    if (continuation.step < run.schedule.steps() && !read_particles_of(found, comm, run.fields, continuation)) continue;
    if (const std::string note = why_not_exact(found.state, run.is_on_gpu, comm); !note.empty()) notes.push_back(note);
    continuation.writes_other_snapshots = !same_snapshots(former_config(found), run.config);
    continuation.source = Continuation::Source::checkpoint;
    continuation.file = found.file;
    continuation.next_checkpoint = (found.generation + 1) % OutputDirectory::checkpoint_generations;
    continuation.state = std::move(found.state);
    return continuation;
  }
  find_snapshot(run.directory, comm, continuation);
  return continuation;
}

SavedState state_of_snapshot(const OutputDirectory& directory, std::uint64_t snapshot, std::uint64_t step, const StepSchedule& schedule,
                             bool rows_may_lack) {
  SavedState state;
  const std::string log = directory.energy();
  const std::optional<double> first = std::filesystem::exists(log) ? first_energy_in(log) : std::nullopt;
  if (!first) throw DataError(log + ": is missing or empty; without it, energies cannot be compared with those of the start");
  state.put(saved_energies, SavedState::Numbers{*first, 0});
  state.put_count(saved_states_seen, step + 1);
  state.put_count(saved_snapshot_count, snapshot + 1);
  for (const auto& [path, name] : {std::pair{log, saved_energy_rows}, std::pair{directory.timings(), saved_timing_rows}}) {
    if (!std::filesystem::exists(path)) continue;
    const std::uint64_t rows = rows_up_to(path, "time", schedule.time(step) + 0.5 * schedule.dt());
    if (rows < step + 1 && !rows_may_lack) fail_for_missing_rows(path, rows, step + 1);
    state.put_count(name, rows);
  }
  return state;
}

}  // namespace grove
