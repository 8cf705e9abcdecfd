#include "src/run/resume/former_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/units.hpp"
#include "src/config/config_table.hpp"
#include "src/run/files/same_on_all_ranks.hpp"

namespace grove {

namespace {

bool is_same_file(const Config& before, const Config& now) {
  const std::string &a = before.initial_conditions.file, &b = now.initial_conditions.file;
  std::error_code unknown;
  return !a.empty() && !b.empty() && std::filesystem::weakly_canonical(a, unknown) == std::filesystem::weakly_canonical(b, unknown) &&
         !unknown;
}

/// All settings except those whose names begin in one of these ways.
EffectiveSettings settings_except(const std::vector<std::string>& prefixes, const Config& config) {
  EffectiveSettings settings = effective_settings(config);
  std::erase_if(settings, [&](const auto& setting) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) { return setting.first.starts_with(prefix); });
  });
  return settings;
}

/// Settings that change nothing but the next steps.
const std::set<std::string> keep_energy{"time.dt",        "time.accuracy",   "time.dt_min",
                                        "time.criterion", "time.core_up_to", "gravity.steps_per_tree"};

/// "0.0010227 (1 Myr)": a time or a length of a configuration with its unit; other settings as they are.
std::string for_people(const std::string& name, const std::string& value, const UnitSystem& units) {
  const std::optional<double> number = parse_number<double>(value);
  if (!number || !is_physical(units)) return value;
  const std::vector<ConfigSetting>& rows = config_table().settings;
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const ConfigSetting& one) { return one.section + "." + one.setting.name == name; });
  if (row == rows.end()) return value;
  if (row->setting.dimension == Dimension::time) return fmt::format("{} ({})", value, format_time(*number, units));
  if (row->setting.dimension == Dimension::length) return fmt::format("{} ({})", value, unit_of_length(*number, units).text(*number));
  return value;
}

}  // namespace

std::map<std::string, std::string> changed_physics(const Config& before, const Config& now) {
  const std::vector<std::string> no_physics{"output.", "pictures.", "run.", "time.end"};
  std::map<std::string, std::pair<std::string, std::string>> values;  // before and now
  for (const auto& [name, value] : settings_except(no_physics, before)) values[name] = {value, "not set"};
  for (const auto& [name, value] : settings_except(no_physics, now)) values.try_emplace(name, "not set", "").first->second.second = value;
  std::map<std::string, std::string> changed;
  for (const auto& [name, value] : values)
    if (value.first != value.second && !(name == "initial_conditions.file" && is_same_file(before, now)))
      changed[name] =
          fmt::format("{} = {}, before {}", name, for_people(name, value.second, now.units), for_people(name, value.first, before.units));
  return changed;
}

bool same_snapshots(const Config& before, const Config& now) {
  const std::vector<std::string> without_effect{
      "run.", "pictures.", "output.checkpoint", "output.in_background", "output.on_error", "output.directory"};
  return settings_except(without_effect, before) == settings_except(without_effect, now);
}

bool same_pictures(const Config& before, const Config& now) {
  return settings_except({"run.", "output."}, before) == settings_except({"run.", "output."}, now);
}

bool require_same_physics(const Config& before, const std::string& file, const Config& now, bool force, std::vector<std::string>& notes) {
  const std::map<std::string, std::string> changed = changed_physics(before, now);
  if (changed.empty()) return false;
  std::vector<std::string> lines;
  bool has_other_start = false, energy_jumps = false;
  for (const auto& [name, line] : changed) {
    lines.push_back(line);
    has_other_start |= name.starts_with("initial_conditions.") || name.starts_with("galaxies");
    energy_jumps |= !keep_energy.contains(name);
  }
  const std::string list = fmt::format("{}", fmt::join(lines, "; "));
  if (!force || has_other_start)
    throw ConfigError(fmt::format("the configuration is not that of the run in {}: {}; give the former values{}{}", file, list,
                                  force ? "" : ", or --force-config to continue with the new ones",
                                  has_other_start
                                      ? ". A run that continues has its particles: [galaxies] and [initial_conditions] cannot change, nor "
                                        "with --force-config; other particles are a new run, in another output directory"
                                      : ""));
  notes.push_back("the run continues with other settings than before: " + list +
                  (energy_jumps
                       ? ". The energy jumps there: errors in energy.csv have that jump from here on, and the end of the run names "
                         "the error without it, too"
                       : ""));
  return energy_jumps;
}

}  // namespace grove
