#include "src/run/continuation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "io/checkpoint_file.hpp"
#include "kernels/space/error.hpp"
#include "src/run/checkpoints.hpp"
#include "src/run/former_settings.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/snapshot_continuation.hpp"
#include "src/version.hpp"

namespace grove {

namespace {

FormerSettings former_settings(const FoundCheckpoint& found) {
  return {parse_config(found.state.text(saved_configuration), found.file, {}, nullptr, IdleKeys::dropped), found.file};
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

/// A sentence on a whole snapshot of a later state than that of the checkpoint; empty: there is none. Not collective.
std::string note_on_newer_snapshot(const ContinuingRun& run, const FoundCheckpoint& found) {
  const std::vector<std::uint64_t> snapshots = run.directory.snapshots();
  for (auto number = snapshots.rbegin(); number != snapshots.rend() && *number >= found.state.count(saved_snapshot_count); ++number) {
    const std::string file = run.directory.snapshot(*number);
    const std::optional<double> time = time_in_snapshot(file);
    const double reached = found.state.number("simulation.time");
    if (!time || *time <= reached) continue;
    return fmt::format(
        "{} has a later state, t = {:.8g}, than {}, t = {:.8g}, from which the run goes on, since that is exact. To go on from the "
        "snapshot, "
        "move the checkpoints to another directory and give --continue",
        file, *time, found.file, reached);
  }
  return "";
}

/// Of the root, for all.
std::string on_root(const Communicator& comm, const std::function<std::string()>& text_of) {
  std::string text;
  comm.agree([&] {
    if (comm.is_root()) text = text_of();
  });
  comm.broadcast(text);
  return text;
}

/// The configuration of the newest checkpoint or snapshot, if there is one that can be read; whoever goes on from it says why not.
std::optional<FormerSettings> newest_settings(const OutputDirectory& directory, const Communicator& comm) {
  std::vector<std::string> unused;
  const std::vector<FoundCheckpoint> checkpoints = find_checkpoints(directory, comm, unused);
  std::string text, file;
  if (!checkpoints.empty()) {
    text = checkpoints.front().state.text(saved_configuration);
    file = checkpoints.front().file;
  } else {
    text = on_root(comm, [&] { return configuration_of_newest_snapshot(directory, file); });
    comm.broadcast(file);
  }
  if (text.empty()) return std::nullopt;
  try {
    return FormerSettings{parse_config(text, file, {}, nullptr, IdleKeys::dropped), file};
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string keep_former_G(Config& config, const OutputDirectory& directory, const Communicator& comm) {
  if (config.is_G_given) return "";
  const std::optional<FormerSettings> before = newest_settings(directory, comm);
  if (!before || !are_same(before->config.units, config.units) || before->config.gravity.G == config.gravity.G) return "";
  const double of_units = config.gravity.G;
  config.gravity.G = before->config.gravity.G;
  return fmt::format("gravity.G is not given and stays {:.6g}, as in {}; a new run would have {:.6g}", config.gravity.G, before->file,
                     of_units);
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
    std::uint64_t step = 0;
    std::vector<std::string> of_settings;
    comm.agree([&] {
      continuation.energy_jumps = require_same_physics(former_settings(found), run.config, run.force_config, of_settings);
      step = run.schedule.step_at(found.state.number("simulation.time"), found.file);
    });
    if (step < run.schedule.steps() && !read_particles_of(found, comm, run.fields, continuation)) continue;
    notes.insert(notes.end(), of_settings.begin(), of_settings.end());
    if (const std::string note = why_not_exact(found.state, run.is_on_gpu, comm); !note.empty()) notes.push_back(note);
    continuation.writes_other_snapshots = !same_snapshots(former_settings(found).config, run.config);
    continuation.writes_other_pictures = !same_pictures(former_settings(found).config, run.config);
    if (!continuation.writes_other_snapshots)
      if (const std::string note = on_root(comm, [&] { return note_on_newer_snapshot(run, found); }); !note.empty()) notes.push_back(note);
    continuation.source = Continuation::Source::checkpoint;
    continuation.file = found.file;
    continuation.step = found.state.count(saved_step);
    comm.agree([&] { continuation.components = component_names_in(found.state); });
    run.schedule.number_on(step, continuation.step);
    continuation.next_checkpoint = (found.generation + 1) % OutputDirectory::checkpoint_generations;
    continuation.state = std::move(found.state);
    return continuation;
  }
  find_snapshot(run, comm, continuation);
  return continuation;
}

}  // namespace grove
