#include "src/run/former_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "kernels/space/error.hpp"
#include "src/run/same_on_all_ranks.hpp"

namespace grove {

namespace {

constexpr const char* input_file = "initial_conditions.file";

bool is_same_file(const Config& before, const Config& now) {
  const std::string &a = before.initial_conditions.file, &b = now.initial_conditions.file;
  std::error_code unknown;
  return !a.empty() && !b.empty() && std::filesystem::weakly_canonical(a, unknown) == std::filesystem::weakly_canonical(b, unknown) &&
         !unknown;
}

/// "section.key" and the value of every setting that changes what a run computes.
std::map<std::string, std::string> physics_of(const Config& config) {
  std::map<std::string, std::string> settings;
  for (const std::string& assignment : assignments(config)) {
    const std::size_t equals = assignment.find(" = ");
    const std::string name = assignment.substr(0, equals);
    if (!name.starts_with("output.") && !name.starts_with("pictures.") && !name.starts_with("run.") && name != "time.end")
      settings[name] = assignment.substr(equals + 3);
  }
  return settings;
}

/// All settings but those whose names begin in one of these ways.
std::vector<std::string> settings_but(const std::vector<std::string>& beginnings, const Config& config) {
  std::vector<std::string> settings = assignments(config);
  std::erase_if(settings, [&](const std::string& assignment) {
    return std::any_of(beginnings.begin(), beginnings.end(), [&](const std::string& begin) { return assignment.starts_with(begin); });
  });
  return settings;
}

}  // namespace

bool same_snapshots(const Config& before, const Config& now) {
  const std::vector<std::string> without_effect{"run.",          "pictures.",       "output.checkpoint",
                                                "output.beside", "output.on_error", "output.directory"};
  return settings_but(without_effect, before) == settings_but(without_effect, now);
}

bool same_pictures(const Config& before, const Config& now) {
  return settings_but({"run.", "output."}, before) == settings_but({"run.", "output."}, now);
}

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
    if (value(old_ones, name) != value(new_ones, name) && !(name == input_file && is_same_file(before, now)))
      changed.push_back(fmt::format("{} = {}, before {}", name, value(new_ones, name), value(old_ones, name)));
  return changed;
}

bool require_same_physics(const FormerSettings& before, const Config& now, bool force, std::vector<std::string>& notes) {
  const std::vector<std::string> changed = changed_physics(before.config, now);
  if (changed.empty()) return false;
  const std::string list = fmt::format("{}", fmt::join(changed, "; "));
  const bool has_other_start =
      std::any_of(changed.begin(), changed.end(), [](const std::string& line) { return line.starts_with("initial_conditions."); });
  const std::string of_start =
      has_other_start
          ? ". A run that goes on has its particles: [initial_conditions] cannot change, nor with --force-config; other particles "
            "are a new run, in another output directory"
          : "";
  if (!force || has_other_start)
    throw ConfigError(fmt::format("the configuration is not that of the run in {}: {}; give the former values{}{}", before.file, list,
                                  force ? "" : ", or --force-config to go on with the new ones", of_start));
  const bool energy_jumps = std::any_of(changed.begin(), changed.end(), [](const std::string& line) {
    return !line.starts_with("time.dt = ") && !line.starts_with("gravity.steps_per_tree = ");
  });
  notes.push_back("the run goes on with other settings than before: " + list +
                  (energy_jumps
                       ? ". The energy jumps there: errors in energy.csv have that jump from here on, and the end of the run names "
                         "the error without it, too"
                       : ""));
  return energy_jumps;
}

}  // namespace grove
