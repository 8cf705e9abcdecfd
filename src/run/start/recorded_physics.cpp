#include "src/run/start/recorded_physics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text_parts.hpp"
#include "src/config/config_source.hpp"
#include "src/config/config_table.hpp"
#include "src/config/given_units.hpp"
#include "src/run/files/same_on_all_ranks.hpp"

namespace grove {

namespace {

using Recorded = std::map<std::string, std::string>;

/// The key section.name of the table; null for those of generators and integrators.
const ConfigSetting* find_row(const std::string& full_name) {
  const std::size_t dot = full_name.find('.');
  return config_table().find(full_name.substr(0, dot), full_name.substr(dot + 1));
}

/// Settings of method and accuracy are chosen anew by whoever measures them; units are compared as a whole. External potentials are exact.
bool is_physics(const std::string& full_name) {
  static const std::set<std::string> of_accuracy{"method", "opening", "tolerance", "order", "theta"};
  const std::size_t dot = full_name.find('.');
  if (full_name.substr(0, dot) != "gravity") return false;
  const ConfigSetting* const row = find_row(full_name);
  return !of_accuracy.contains(full_name.substr(dot + 1)) && !(row && row->only_with && of_accuracy.contains(row->only_with->name));
}

Recorded physics_of(const Config& config) {
  Recorded values;
  for (const auto& [name, value] : effective_settings(config))
    if (is_physics(name)) values[name] = value;
  return values;
}

std::set<std::string> names_in(const std::vector<std::string>& settings) {
  std::set<std::string> names;
  for (const std::string& text : settings) {
    const GivenSetting given = read_override(text);
    names.insert(given.section + "." + given.name);
  }
  return names;
}

bool has_units(const std::set<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& one) { return one.starts_with("units."); });
}

/// Whether a setting asks for the units of the file, in which its G holds.
bool takes_units_of_file(const std::string& setting) {
  const GivenSetting given = read_override(setting);
  return given.section == "units" && given.name == units_key && given.says(of_the_file);
}

/// Whether what the user has set leaves the recorded value of `name` without a meaning.
bool is_replaced(const std::string& name, const std::set<std::string>& given, bool has_other_units) {
  if (given.contains(name) || (name == "gravity.G" && has_other_units)) return true;
  const ConfigSetting* const row = find_row(name);
  return row && row->only_with && given.contains(row->section + "." + row->only_with->name);
}

}  // namespace

std::optional<Value> softening_in(const ReadInfo& info) {
  std::map<int, double> of_type;
  for (const FileSoftening& softening : info.softenings) {
    const bool is_length = std::isfinite(softening.highest) && softening.lowest >= 0 && softening.lowest == softening.highest;
    const auto [place, is_new] = of_type.emplace(softening.type, softening.highest);
    if (!is_length || (!is_new && place->second != softening.highest)) return std::nullopt;
  }
  NumberTable of_component;
  for (std::size_t type = 0; type < info.count_of_type.size(); ++type) {
    if (info.count_of_type[type] == 0) continue;
    const auto own = of_type.find(static_cast<int>(type));
    if (own == of_type.end()) return std::nullopt;
    of_component[info.components[type]] = own->second;
  }
  if (of_component.empty()) return std::nullopt;
  const double first = of_component.begin()->second;
  if (std::all_of(of_component.begin(), of_component.end(), [&](const auto& one) { return one.second == first; })) return Value(first);
  return Value(of_component);
}

const std::string* configuration_in(const ReadInfo& info) {
  const auto found =
      std::find_if(info.provenance.begin(), info.provenance.end(), [](const auto& entry) { return entry.first == "Configuration"; });
  return found == info.provenance.end() ? nullptr : &found->second;
}

RecordedPhysics::RecordedPhysics(std::string file, const ReadInfo& info, const std::vector<std::string>& settings)
    : file_(std::move(file)) {
  const std::string* const configuration = configuration_in(info);
  std::optional<Config> config;
  try {
    if (configuration) config = parse_recorded_config(*configuration, file_);
  } catch (const ConfigError& error) {
    // Another version of Grove may have written it.
    note_ = fmt::format("the settings in {} cannot be used: {}", file_, error.what());
  }
  if (config) {
    recorded_ = physics_of(*config);
    units_ = config->units;
    external_ = config->external_sections();
  } else {
    if (info.units && are_usable(*info.units)) units_ = info.units;
    if (info.G && std::isnormal(*info.G) && *info.G > 0) recorded_["gravity.G"] = to_toml(*info.G);
    if (const std::optional<Value> softening = softening_in(info)) recorded_["gravity.softening"] = to_toml(*softening);
  }
  const std::set<std::string> given = names_in(settings);
  const bool has_other_units = has_units(given) && std::none_of(settings.begin(), settings.end(), takes_units_of_file);
  for (const auto& [name, value] : recorded_)
    if (!is_replaced(name, given, has_other_units)) overrides_.push_back(name + "=" + value);
  if (!units_ || has_units(given)) return;
  overrides_.push_back("units.length_in_cm=" + to_toml(units_->length_in_cm));
  overrides_.push_back("units.mass_in_g=" + to_toml(units_->mass_in_g));
  overrides_.push_back("units.velocity_in_cm_per_s=" + to_toml(units_->velocity_in_cm_per_s));
}

std::string RecordedPhysics::text(const Config& used) const {
  std::string note_on_G = as_note(advice_on_G(used.gravity.G, used.units));
  if (file_.empty()) return note_on_G;
  const Recorded now = physics_of(used);
  std::vector<std::string> same;
  std::vector<std::string> missing;
  std::string others;
  for (const auto& [name, value] : recorded_) {
    const std::string is_used = now.contains(name) ? now.at(name) : "not used";
    if (is_used == value)
      same.push_back(fmt::format("{} = {}", name, value));
    else
      others += fmt::format("note: {} = {} here, the file records {}\n", name, is_used, value);
  }
  if (units_ && *units_ == used.units)
    same.push_back(in_words(used.units));
  else if (units_)
    others += fmt::format("note: {} here, the file records {}\n", in_words(used.units), in_words(*units_));
  for (const char* name : {"gravity.softening", "gravity.G"})
    if (!recorded_.contains(name)) missing.push_back(fmt::format("{} = {}", name, now.at(name)));
  std::string line;
  if (!same.empty())
    line = fmt::format("physics that {} records: {}{}{}\n", file_, fmt::join(same, ", "),
                       missing.empty() ? "" : "; not recorded: ", fmt::join(missing, ", "));
  else if (!missing.empty())
    line = fmt::format("not from {} but of --set or by default: {}\n", file_, fmt::join(missing, ", "));
  return line + as_note(note_) + others + note_on_G;
}

}  // namespace grove
