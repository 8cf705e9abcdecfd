#include "src/run/resume/continuation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "io/formats/gadget_info.hpp"
#include "io/hdf5/hdf5_apart.hpp"
#include "io/hdf5/hdf5_turn.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "kernels/base/error.hpp"
#include "src/run/files/version.hpp"
#include "src/run/observers/energies.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/observers/time_bins.hpp"
#include "src/run/observers/timings.hpp"
#include "src/run/resume/checkpoints.hpp"
#include "src/run/resume/former_settings.hpp"
#include "src/run/resume/snapshot_continuation.hpp"

namespace grove {

namespace {

/// A whole checkpoint of an output directory.
struct FoundCheckpoint {
  std::string file;
  int generation = 0;
  SavedState state;
};

/// Why the following steps do not have the same bits as without an interruption; empty: they have.
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

/// The checkpoints of a directory that can be read, the newest first. Adds a sentence to `notes` for each that cannot. Collective; throws
/// AgreedError.
std::vector<FoundCheckpoint> find_checkpoints(const OutputDirectory& directory, const Communicator& comm, std::vector<std::string>& notes) {
  std::vector<FoundCheckpoint> found;
  for (int generation = 0; generation < OutputDirectory::checkpoint_generations; ++generation) {
    const std::string file = directory.checkpoint(generation);
    std::optional<SavedState> state;
    std::string complaint;
    comm.agree([&] { state = read_state(file, complaint); });
    // What the root finds holds for all.
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

/// Reads the particles; false, with a note, if the file is damaged. Collective.
bool read_particles_of(const FoundCheckpoint& found, const Communicator& comm, const FieldTablePtr& fields, RestartPoint& point) {
  try {
    point.particles = read_checkpoint_particles(found.file, found.state, comm, fields);
  } catch (const AgreedError& error) {
    // All ranks know of it, and try the other generation together.
    if (error.exit_code() != exit_code::data) throw;
    point.notes.push_back(error.what());
    return false;
  }
  return true;
}

/// The time in a snapshot; nothing for a file that cannot be read. Waits for HDF5's turn.
std::optional<double> time_in_snapshot(const std::string& path) {
  const Hdf5Turn turn;
  try {
    require_harmless(path);
    ReadInfo info;
    read_gadget_info(open_hdf5_file(path), info);
    return info.time;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A sentence on a whole snapshot of a later state than that of the checkpoint; empty: there is none. Collective.
std::string note_on_newer_snapshot(const ContinuedRun& run, const FoundCheckpoint& found, const Communicator& comm) {
  std::string note;
  comm.agree([&] {
    if (!comm.is_root()) return;
    const std::vector<std::uint64_t> snapshots = run.directory.snapshots();
    const double reached = found.state.number("simulation.time");
    for (auto number = snapshots.rbegin(); number != snapshots.rend() && *number >= found.state.count(saved_snapshot_count); ++number) {
      const std::string file = run.directory.snapshot(*number);
      const std::optional<double> time = time_in_snapshot(file);
      if (!time || *time <= reached) continue;
      note = fmt::format(
          "{} has a later state, t = {:.8g}, than {}, t = {:.8g}, from which the run continues, since that is exact. To continue from the "
          "snapshot, move the checkpoints to another directory and give --continue",
          file, *time, found.file, reached);
      return;
    }
  });
  comm.broadcast(note);
  return note;
}

/// Throws DataError and SystemError for logs that the run cannot continue. On the root.
void require_logs(const ContinuedRun& run, const SavedState& state) {
  const auto require = [&](const std::string& log, const char* saved, const auto& columns) {
    const std::uint64_t rows = state.has(saved) ? state.count(saved) : 0;
    if (rows == 0) return CsvLog::require_no_other(log);
    if (::access(log.c_str(), F_OK) == 0) require_known_columns(log, !columns(rows_to_continue(log, rows).names).empty());
  };
  const bool has_external = !external_texts(run.config.external_sections()).empty();
  require(run.directory.energy(), saved_energy_rows, [&](const auto& names) { return columns_if_named(energy_log(has_external), names); });
  require(run.directory.timings(), saved_timing_rows, timings_columns);
  if (run.config.time.counts_forces() || state.has(saved_time_bin_rows))
    require(run.directory.time_bins(), saved_time_bin_rows, time_bins_columns);
}

/// For a log that has gone since the checkpoint, no rows are expected, and a sentence is added to `notes`. Collective.
void forget_missing_log(const std::string& log, const char* rows, const Communicator& comm, SavedState& state,
                        std::vector<std::string>& notes) {
  const std::uint64_t before = state.has(rows) ? state.count(rows) : 0;
  int is_missing = comm.is_root() && before > 0 && ::access(log.c_str(), F_OK) != 0 ? 1 : 0;
  comm.broadcast(std::span<int>(&is_missing, 1));
  if (is_missing == 0) return;
  notes.push_back(fmt::format("{} is missing, with {} rows of the run so far: a new one is begun", log, before));
  state.put_count(rows, 0);
}

}  // namespace

StepSchedule schedule_of(const Config& config, std::optional<double> begin) {
  const TimeParameters& time = config.time;
  StepSchedule schedule(begin.value_or(time.begin), time.end, time.dt, config.output.snapshot_every, time.unit_of_dt, time.begin);
  schedule.require_recurrence("pictures.every", config.pictures.every);
  return schedule;
}

StepSchedule schedule_from(double reached, std::uint64_t step, std::optional<double> base, const Config* before, const Config& now,
                           const std::string& source) {
  const TimeParameters& time = now.time;
  const auto on = [&](double begin) {
    StepSchedule schedule = schedule_of(now, begin);
    schedule.number_on(schedule.step_at(reached, source), step);
    return schedule;
  };
  const bool is_as_before = !before || (before->time.dt == time.dt && before->time.begin == time.begin);
  const double begin = base.value_or(time.begin);
  // Where nothing is left, the message is that of the whole run.
  const bool is_over = reached >= time.end;
  const bool divides = StepSchedule::divides(begin, time.end, time.dt) && StepSchedule::divides(begin, reached, time.dt);
  if (is_as_before && (base || is_over || divides)) return on(begin);
  return on(is_over ? time.begin : reached);
}

RestartPoint find_restart_point(const ContinuedRun& run, const Communicator& comm) {
  RestartPoint point;
  const auto add_note = [&](const std::string& note) {
    if (!note.empty()) point.notes.push_back(note);
  };
  for (FoundCheckpoint& found : find_checkpoints(run.directory, comm, point.notes)) {
    Config before;
    std::vector<std::string> notes_on_settings;
    comm.agree([&] {
      before = parse_recorded_config(found.state.text(saved_configuration), found.file);
      point.energy_jumps = require_same_physics(before, found.file, run.config, run.force_config, notes_on_settings);
      point.schedule = schedule_from(found.state.number("simulation.time"), found.state.count(saved_step),
                                     found.state.number(saved_schedule_begin), &before, run.config, found.file);
      point.components = component_names_in(found.state);
    });
    if (found.state.count(saved_step) < point.schedule->steps() && !read_particles_of(found, comm, run.fields, point)) {
      point.energy_jumps = false;
      continue;
    }
    for (const std::string& note : notes_on_settings) add_note(note);
    add_note(why_not_exact(found.state, run.is_on_gpu, comm));
    point.writes_other_snapshots = !same_snapshots(before, run.config);
    point.writes_other_pictures = !same_pictures(before, run.config);
    if (!point.writes_other_snapshots) add_note(note_on_newer_snapshot(run, found, comm));
    point.file = found.file;
    point.is_checkpoint = true;
    point.step = found.state.count(saved_step);
    point.next_checkpoint = (found.generation + 1) % OutputDirectory::checkpoint_generations;
    point.state = std::move(found.state);
    forget_missing_log(run.directory.energy(), saved_energy_rows, comm, point.state, point.notes);
    forget_missing_log(run.directory.timings(), saved_timing_rows, comm, point.state, point.notes);
    forget_missing_log(run.directory.time_bins(), saved_time_bin_rows, comm, point.state, point.notes);
    break;
  }
  if (!point.exists()) find_snapshot(run, comm, point);
  comm.agree([&] {
    // Nothing is written where nothing is left to do.
    if (comm.is_root() && point.exists() && point.step < point.schedule->steps()) require_logs(run, point.state);
  });
  return point;
}

}  // namespace grove
