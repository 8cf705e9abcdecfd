#include "src/view/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/files/printable.hpp"
#include "kernels/base/units.hpp"
#include "src/config/config.hpp"
#include "src/run/files/log_units.hpp"
#include "src/run/files/run_file_names.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/view/log_part.hpp"

namespace grove {

namespace {

using Json = nlohmann::ordered_json;

/// How long the logs may stay unchanged before a run that is not seen running counts as stopped: after the lock of the directory has been
/// given back, and where a run may be running on another machine (there, at least ten of its steps).
constexpr double patience_after_lock_s = 5, patience_without_lock_s = 60;
constexpr std::size_t longest_configuration = std::size_t{4} << 20;

/// What one look at the directory found.
struct Found {
  std::vector<FileFacts> files;
  std::vector<std::string> notes;
  std::optional<Config> config;
  LogPart energy, timings;  ///< last rows

  const FileFacts* file(const std::string& name) const {
    const auto at = std::find_if(files.begin(), files.end(), [&](const FileFacts& f) { return f.name == name; });
    return at == files.end() ? nullptr : &*at;
  }
};

std::optional<double> last_value(const LogPart& part, const std::string& name) {
  const auto at = std::find(part.names.begin(), part.names.end(), name);
  if (part.rows.empty() || at == part.names.end()) return std::nullopt;
  const double value = part.rows.back()[static_cast<std::size_t>(at - part.names.begin())];
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The time that the run has reached.
std::optional<double> last_time(const Found& found) {
  const std::optional<double> time = last_value(found.energy, "time");
  return time ? time : last_value(found.timings, "time");
}

/// Does `read` if the file is there; what goes wrong becomes a note.
template <class Read>
void read_if_there(Found& found, const char* name, Read read) {
  if (!found.file(name)) return;
  try {
    read();
  } catch (const FileNotThere&) {
    // Gone since the directory was listed.
  } catch (const Error& error) {
    found.notes.push_back(printable_text(error.what()));
  }
}

Found look_at(const RunFiles& files) {
  Found found;
  found.files = files.list();
  read_if_there(found, energy_log_file, [&] { found.energy = read_last_row(files.open(energy_log_file)); });
  read_if_there(found, timings_log_file, [&] { found.timings = read_last_row(files.open(timings_log_file)); });
  read_if_there(found, used_parameters_file, [&] { found.config = config_of(files); });
  return found;
}

/// Time since the last change of the logs; nothing without them.
std::optional<double> age_of_logs_s(const Found& found) {
  std::int64_t newest = 0;
  for (const char* name : {energy_log_file, timings_log_file, used_parameters_file})
    if (const FileFacts* file = found.file(name)) newest = std::max(newest, file->changed_ns);
  if (newest == 0) return std::nullopt;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::max(0.0, static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - newest) * 1e-9);
}

std::string age_text(double age_s) {
  if (age_s < 120) return fmt::format("{:.0f} s", age_s);
  if (age_s < 7200) return fmt::format("{:.0f} minutes", age_s / 60);
  if (age_s < 172800) return fmt::format("{:.0f} hours", age_s / 3600);
  return fmt::format("{:.0f} days", age_s / 86400);
}

void judge(const RunFiles& files, const Found& found, Json& state) {
  const auto say = [&](const char* kind, const std::string& words) {
    state["state"] = kind;
    state["words"] = words;
  };
  const std::optional<double> age_s = age_of_logs_s(found);
  const std::optional<double> time = last_time(found);
  const bool is_at_end = time && found.config && *time >= found.config->time.end - 1e-9 * found.config->time.dt;
  const RunLock lock = files.lock();
  if (lock == RunLock::held) return say("running", is_at_end ? "the last step is done; the run is about to end" : "the run is at work");
  if (!age_s) return say("waiting", "nothing of a run is here yet");
  if (is_at_end) return say("finished", "the run has come to its end");
  const double patience_s = std::max(patience_without_lock_s, 10 * last_value(found.timings, "total_s").value_or(0));
  // It may be on another machine.
  if (*age_s < (lock == RunLock::given_back ? patience_after_lock_s : patience_s))
    return say("running", "the logs have changed " + age_text(*age_s) + " ago");
  say("stopped", "no run writes here: the logs have not changed for " + age_text(*age_s));
}

template <class Value>
void put(Json& state, const char* name, const std::optional<Value>& value) {
  if (value) state[name] = *value;
}

Json unit_json(const LogUnit& unit) { return {{"name", unit.name}, {"per_code_unit", unit.per_code_unit}}; }

/// One unit of time for the whole run, which suits its largest time.
Json units_json(const UnitSystem& units, double largest_time) {
  const TimeUnit time = unit_of_time(largest_time, units);
  Json json = {{"time", unit_json({*time.name ? time.name : "N-body units", time.per_code_unit})},
               {"energy", unit_json(log_units(units).energy)},
               {"lengths", Json::array()}};
  for (const LogUnit& length : length_units(units)) json["lengths"].push_back(unit_json(length));
  return json;
}

void add_times(const Found& found, Json& state) {
  const std::optional<double> time = last_time(found);
  put(state, "time", time);
  put(state, "step", last_value(found.timings, "step"));
  put(state, "step_s", last_value(found.timings, "total_s"));
  put(state, "particles_per_s", last_value(found.timings, "particles_per_s"));
  if (!found.config) return;
  const TimeParameters& times = found.config->time;
  state["begin"] = times.begin;
  state["end"] = times.end;
  state["dt"] = times.dt;
  state["units"] = units_json(found.config->units, std::max(std::abs(times.begin), std::abs(times.end)));
  try {
    state["steps"] = StepSchedule(times.begin, times.end, times.dt, found.config->output.snapshot_every).steps();
  } catch (const ConfigError&) {
    // A run that was continued with another end or dt may not be dividable from its begin on.
  }
}

bool is_log(const std::string& name) { return name == energy_log_file || name == timings_log_file || name == time_bins_log_file; }

void add_files(const Found& found, Json& state) {
  for (const char* list : {"snapshots", "pictures", "logs"}) state[list] = Json::array();
  for (const FileFacts& file : found.files) {
    if (const auto number = snapshot_number(file.name))
      state["snapshots"].push_back({{"name", file.name}, {"number", *number}, {"tag", file.tag()}});
    if (const auto picture = picture_name(file.name))
      state["pictures"].push_back({{"name", file.name},
                                   {"number", picture->number},
                                   {"tag", file.tag()},
                                   {"quantity", picture->quantity},
                                   {"axis", picture->axis}});
    if (is_log(file.name)) state["logs"].push_back(file.name);
  }
}

bool is_of_run(const std::string& name) {
  return name == used_parameters_file || is_log(name) || snapshot_number(name) || checkpoint_number(name) || picture_name(name);
}

}  // namespace

Config config_of(const RunFiles& files) {
  return parse_recorded_config(files.open(used_parameters_file).read(0, longest_configuration), used_parameters_file);
}

bool has_run(const RunFiles& files) {
  const std::vector<FileFacts> found = files.list();
  return std::any_of(found.begin(), found.end(), [](const FileFacts& file) { return is_of_run(file.name); }) ||
         files.lock() == RunLock::held;
}

nlohmann::ordered_json run_state(const RunFiles& files) {
  Json state = {{"directory", printable_line(files.directory().string(), 1000)}, {"is_there", files.is_there()}};
  const Found found = look_at(files);
  judge(files, found, state);
  if (!files.is_there()) state["words"] = "the directory is not there yet";
  add_times(found, state);
  add_files(found, state);
  state["notes"] = found.notes;
  return state;
}

}  // namespace grove
