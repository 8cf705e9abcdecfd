#include "src/run/resume/snapshot_continuation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/snapshots/snapshot_fields.hpp"
#include "kernels/base/error.hpp"
#include "src/run/files/csv_log.hpp"
#include "src/run/observers/energies.hpp"
#include "src/run/observers/pictures.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/observers/time_bins.hpp"
#include "src/run/observers/timings.hpp"
#include "src/run/resume/checkpoints.hpp"
#include "src/run/resume/former_settings.hpp"
#include "src/run/start/initial_state.hpp"
#include "src/run/start/recorded_physics.hpp"

namespace grove {

namespace {

/// A snapshot that has been read.
struct FoundSnapshot {
  std::string file;
  std::uint64_t number = 0;
  InitialState state;
  double time = 0;
  std::optional<Config> settings;  ///< of the run that wrote it; nothing where Grove has not written it
};

/// The numbers of the snapshots, the newest first, except 0, which has the initial conditions. Collective.
std::vector<std::uint64_t> numbers_of_snapshots(const OutputDirectory& directory, const Communicator& comm) {
  std::vector<std::uint64_t> numbers;
  if (comm.is_root()) numbers = directory.snapshots();
  std::erase(numbers, 0);
  std::reverse(numbers.begin(), numbers.end());
  return comm.all_gather_vectors<std::uint64_t>(numbers);
}

/// Returns false and adds a note if the file is damaged. Collective.
bool read_snapshot(const ContinuedRun& run, const Communicator& comm, FoundSnapshot& found, std::vector<std::string>& notes) {
  Config config = run.config;
  config.initial_conditions.file = found.file;
  // Those of the initial conditions.
  config.initial_conditions.columns.clear();
  config.initial_conditions.units.clear();
  config.initial_conditions.renumber = false;
  try {
    found.state = load_initial_state(config, comm, run.fields);
    comm.agree([&] {
      if (!found.state.info.time) throw DataError(found.file + ": says nothing of its time");
    });
  } catch (const AgreedError& error) {
    if (error.exit_code() != exit_code::data) throw;
    notes.push_back(error.what());
    return false;
  }
  found.time = *found.state.info.time;
  try {
    if (const std::string* text = configuration_in(found.state.info)) found.settings = parse_recorded_config(*text, found.file);
  } catch (const ConfigError&) {
    // Those of another version of Grove.
  }
  return true;
}

/// A sentence on numbers of the state in single precision; empty: there are none.
std::string note_on_rounding(const OutputParameters& output) {
  std::vector<std::string> rounded;
  for (const std::string& name : output.field_choice().single_precision)
    if (name == "position" || name == "velocity" || name == "mass") rounded.push_back(name);
  if (rounded.empty()) return "";
  return fmt::format("the snapshot has {} in single precision, as output.single_precision says: the run continues from rounded numbers",
                     fmt::join(rounded, " and "));
}

/// The step number of the state: that of the log, or else by the settings of the run that wrote it, or the present ones.
std::uint64_t number_of_step(const ContinuedRun& run, const FoundSnapshot& found, const CsvRows& timings) {
  const auto step = timings.value(timings.last, "step"), time = timings.value(timings.last, "time");
  if (step && time && *time == found.time) return static_cast<std::uint64_t>(std::llround(*step));
  if (!found.settings) return schedule_of(run.config).step_at(found.time, found.file);
  const TimeParameters& before = found.settings->time;
  return static_cast<std::uint64_t>(std::llround((found.time - before.begin) / before.dt));
}

/// The rows of a log up to the state; none where there is no log.
CsvRows rows_of(const std::string& log, const FoundSnapshot& found, bool rows_may_lack) {
  if (!std::filesystem::exists(log) || std::filesystem::file_size(log) == 0) return {};
  if (!is_log_of_grove(log)) throw DataError(log + ": is no log of Grove");
  CsvRows rows = rows_up_to(log, "time", found.time);
  const auto last = rows.value(rows.last, "time");
  if (last && *last < found.time && !rows_may_lack)
    throw DataError(
        fmt::format("{}: has no row of t = {}, the time of {}: the last one before is that of t = {}; move it away, and a new one "
                    "is begun",
                    log, found.time, found.file, *last));
  return rows;
}

/// The number of pictures of each kind up to the snapshot.
std::uint64_t pictures_before(const ContinuedRun& run, const FoundSnapshot& found) {
  if (!found.settings) return run.directory.pictures();
  const PictureParameters& before = found.settings->pictures;
  return before.are_wanted() ? StepSchedule::count_until(found.time - found.settings->time.begin, before.every) : 0;
}

SavedState state_of(const ContinuedRun& run, const FoundSnapshot& found, std::uint64_t& step, std::vector<std::string>& notes) {
  const bool rows_may_lack = run.config.output.on_error == "continue";
  const std::string log = run.directory.energy();
  const CsvRows energies = rows_of(log, found, rows_may_lack), timings = rows_of(run.directory.timings(), found, rows_may_lack);
  step = number_of_step(run, found, timings);
  if (timings.names.empty()) notes.push_back(run.directory.timings() + " is missing or empty: a new one is begun");
  SavedState state;
  if (const auto first = energies.names.empty() ? std::nullopt : first_energies_in(log)) {
    const std::array<double, 2> largest = largest_errors_in(log, found.time);
    state.put(saved_energies, SavedState::Numbers{first->total, first->own, first->own_scale, largest[0], largest[1]});
  } else {
    notes.push_back(log + " is missing or empty: a new one is begun, and energies are compared with that of this state from now on");
  }
  if (!external_texts(run.config.external_sections()).empty())
    notes.push_back(
        "the energies of particles without mass, if no other ones are there, are compared with those of this state from now on");
  state.put_count(saved_snapshot_count, found.number + 1);
  state.put_count(saved_picture_count, pictures_before(run, found));
  state.put_count(saved_energy_rows, energies.count);
  state.put_count(saved_timing_rows, timings.count);
  // Parts of the run in which no steps were divided have no rows there.
  state.put_count(saved_time_bin_rows, rows_of(run.directory.time_bins(), found, true).count);
  return state;
}

}  // namespace

void find_snapshot(const ContinuedRun& run, const Communicator& comm, RestartPoint& point) {
  std::vector<std::string>& notes = point.notes;
  FoundSnapshot found;
  const std::vector<std::uint64_t> numbers = numbers_of_snapshots(run.directory, comm);
  for (const std::uint64_t number : numbers) {
    found = {run.directory.snapshot(number), number, {}, 0, {}};
    if (read_snapshot(run, comm, found, notes)) break;
    found = {};
  }
  if (found.number == 0) {
    comm.agree([&] {
      if (!notes.empty())
        throw DataError(fmt::format("{}; there is neither another checkpoint nor a snapshot to continue from", fmt::join(notes, "; ")));
    });
    return;
  }
  point.file = found.file;
  notes.push_back(
      "there is no whole checkpoint: the run continues from a snapshot, with forces computed anew. This is not exact: the last "
      "digits differ from those of a run without interruption");
  comm.agree([&] {
    if (found.settings) {
      if (const std::string note = note_on_rounding(found.settings->output); !note.empty()) notes.push_back(note);
      point.energy_jumps = require_same_physics(*found.settings, found.file, run.config, run.force_config, notes);
    } else {
      notes.push_back(found.file +
                      " does not have the settings with which it was computed: they could not be compared with the present ones");
    }
    point.state = state_of(run, found, point.step, notes);
    point.schedule = schedule_from(found.time, point.step, {}, found.settings ? &*found.settings : nullptr, run.config, found.file);
  });
  // A snapshot does not have the view and the colours, which may differ.
  point.writes_other_pictures = true;
  // Damaged ones are not overwritten.
  point.writes_other_snapshots = found.number != numbers.front() || (found.settings && !same_snapshots(*found.settings, run.config));
  point.particles = std::move(found.state.particles);
  point.components = found.state.components;
}

}  // namespace grove
