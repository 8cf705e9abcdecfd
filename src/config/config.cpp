#include "src/config/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "kernels/gravity/opening.hpp"
#include "kernels/space/error.hpp"
#include "src/config/config_source.hpp"
#include "src/config/config_table.hpp"

namespace grove {
namespace {

const std::string initial_section = "initial_conditions";

[[noreturn]] void fail(const GivenSetting& given, const std::string& must) {
  throw ConfigError(fmt::format("{}: {}: {}", given.where, full_name(given), must));
}

std::string suggestion(const std::string& wrong, const std::vector<std::string>& names) {
  const std::string near = nearest_name(wrong, names);
  return near.empty() ? "" : fmt::format(" (did you mean {}?)", near);
}

// Turns given keys into a Config. One use each.
class ConfigBuilder {
 public:
  ConfigBuilder(std::string name, const std::vector<GivenSetting>& file, const std::vector<GivenSetting>& overrides)
      : name_(std::move(name)) {
    for (const auto* source : {&file, &overrides}) {
      for (const GivenSetting& given : *source) given_[{given.section, given.name}] = given;
    }
  }

  Config build() {
    for (const auto& [path, given] : given_) check_section(given);
    choose_source();
    for (const auto& [path, given] : given_) {
      if (!given.name.empty()) set(given);
    }
    fill_generator_defaults();
    check_theta();
    drop_idle_settings();
    check_units();
    resolve_physical_G();
    check_times();
    check_generator_parameters();
    return config_;
  }

 private:
  const GivenSetting* find(const std::string& section, const std::string& name) const {
    const auto found = given_.find({section, name});
    return found == given_.end() ? nullptr : &found->second;
  }

  // The key as given, or as its default stands, for messages.
  GivenSetting describe(const std::string& section, const std::string& name, const Value& value) const {
    if (const GivenSetting* given = find(section, name)) return *given;
    return {section, name, {}, to_toml(value) + " (the default)", name_};
  }

  void check_section(const GivenSetting& given) const {
    std::vector<std::string> names;
    for (const ConfigSection& section : config_sections()) names.push_back(section.name);
    if (given.section.empty()) {
      throw ConfigError(fmt::format("{}: {}: stands outside all sections; it must be in one of [{}]{}", given.where, full_name(given),
                                    fmt::join(names, "], ["), home_of(given.name)));
    }
    if (std::find(names.begin(), names.end(), given.section) != names.end()) return;
    throw ConfigError(fmt::format("{}: unknown section [{}]{}. Allowed: {}", given.where, given.section, suggestion(given.section, names),
                                  fmt::join(names, ", ")));
  }

  // Where a key that is in no right place would be right.
  static std::string home_of(const std::string& name) {
    for (const ConfigSetting& row : config_settings()) {
      if (row.setting.name == name) return fmt::format(" ({} belongs in [{}])", name, row.section);
    }
    return "";
  }

  void choose_source() {
    const GivenSetting* file = find(initial_section, "file");
    const GivenSetting* generator = find(initial_section, "generator");
    if (file && generator) fail(*generator, "give either this or initial_conditions.file, not both");
    if (!file && !generator) {
      throw ConfigError(
          fmt::format("{}: [initial_conditions] needs file = \"...\" or generator = one of {}", name_, fmt::join(generator_names(), ", ")));
    }
    InitialConditions& conditions = config_.initial_conditions;
    conditions.generator =
        generator ? std::get<std::string>(accept(find_config_setting(initial_section, "generator")->setting, *generator)) : "";
  }

  void set(const GivenSetting& given) {
    // Resolved when the units are known.
    if (given.section == "gravity" && given.name == "G" && is_physical_G(given)) return;
    const ConfigSetting* row = find_config_setting(given.section, given.name);
    if (!row) {
      if (given.section == initial_section && set_generator_parameter(given)) return;
      fail_unknown(given);
    }
    if (belongs_to_generators(*row) && config_.initial_conditions.generator.empty())
      fail(given, "is for generators; with initial_conditions.file it has no effect and must go");
    row->set(config_, accept(row->setting, given));
  }

  bool set_generator_parameter(const GivenSetting& given) {
    InitialConditions& conditions = config_.initial_conditions;
    std::vector<std::string> owners;
    for (const Generator& generator : generators()) {
      for (const Setting& setting : generator.parameters) {
        if (setting.name != given.name) continue;
        if (generator.name == conditions.generator) {
          conditions.parameters[setting.name] = accept(setting, given);
          return true;
        }
        owners.push_back(generator.name);
      }
    }
    if (owners.empty()) return false;
    fail(given, fmt::format("belongs to generator {}, but the particles come from {}", fmt::join(owners, ", "),
                            conditions.generator.empty() ? "a file" : "generator " + conditions.generator));
  }

  [[noreturn]] void fail_unknown(const GivenSetting& given) const {
    std::vector<std::string> names;
    for (const ConfigSetting& row : config_settings()) {
      if (row.section == given.section) names.push_back(row.setting.name);
    }
    if (const Generator* generator = find_generator(config_.initial_conditions.generator); generator && given.section == initial_section) {
      for (const Setting& setting : generator->parameters) names.push_back(setting.name);
    }
    std::string hint = home_of(given.name);
    if (hint.empty()) hint = suggestion(given.name, names);
    fail(given, fmt::format("unknown key{}. Allowed in [{}]: {}", hint, given.section, fmt::join(names, ", ")));
  }

  void fill_generator_defaults() {
    const Generator* generator = find_generator(config_.initial_conditions.generator);
    if (!generator) return;
    for (const Setting& setting : generator->parameters) config_.initial_conditions.parameters.emplace(setting.name, setting.default_value);
  }

  // A theta by itself was meant for a geometric criterion: who wants it for the first forces of `relative` says so beside it.
  void check_theta() const {
    const GravityParameters& gravity = config_.gravity;
    const GivenSetting *theta = find("gravity", "theta"), *opening = find("gravity", "opening");
    if (!theta || gravity.method == "direct" || gravity.opening != RelativeOpening::name) return;
    if (opening && (opening->from_command_line || !theta->from_command_line)) return;
    const std::string chosen = full_name(describe("gravity", "opening", gravity.opening));
    fail(*theta, fmt::format("with {} it is for the first forces alone, and gravity.tolerance sets the accuracy. Choose gravity.opening "
                             "beside it",
                             chosen));
  }

  // A key that has no effect is a mistake, unless the command line has chosen against what the file says.
  void drop_idle_settings() {
    for (const ConfigSetting& row : config_settings()) {
      const GivenSetting* given = find(row.section, row.setting.name);
      const std::string choice = setting_that_disables(row, config_.gravity);
      if (!given || choice.empty()) continue;
      const GivenSetting* chosen = find("gravity", choice);
      if (!chosen->from_command_line || given->from_command_line)
        fail(*given, fmt::format("with {} it has no effect and must go", full_name(*chosen)));
      row.set(config_, row.setting.default_value);
    }
  }

  void check_units() const {
    const GivenSetting* some = nullptr;
    std::vector<std::string> missing;
    for (const ConfigSetting& row : config_settings()) {
      if (row.section != "units") continue;
      const GivenSetting* given = find("units", row.setting.name);
      if (given) some = given;
      if (!given) missing.push_back("units." + row.setting.name);
    }
    if (some && !missing.empty())
      fail(*some, fmt::format("needs {} too: give all three units, or none for N-body units", fmt::join(missing, " and ")));
  }

  static bool is_physical_G(const GivenSetting& given) {
    const auto* text = std::get_if<std::string>(&given.value);
    return text && *text == "cgs";
  }

  void resolve_physical_G() {
    const GivenSetting* given = find("gravity", "G");
    if (!given || !is_physical_G(*given)) return;
    if (!is_physical(config_.units)) fail(*given, "needs physical units in [units]");
    config_.gravity.G = gravitational_constant(config_.units);
  }

  void check_times() const {
    const TimeParameters& time = config_.time;
    if (time.end < time.begin) fail(describe("time", "end", time.end), fmt::format("must be >= time.begin = {}", to_toml(time.begin)));
    // A step that no longer changes the time would never come to an end.
    const double latest = std::max(std::abs(time.begin), std::abs(time.end));
    if (latest + time.dt == latest && time.end > time.begin)
      fail(describe("time", "dt", time.dt), fmt::format("must be large enough to change the time {}", to_toml(latest)));
  }

  void check_generator_parameters() const {
    const InitialConditions& conditions = config_.initial_conditions;
    const auto complaint = check_generator(conditions);
    if (!complaint) return;
    const Value value = complaint->setting == "n" ? Value(conditions.n) : conditions.parameters.at(complaint->setting);
    fail(describe(initial_section, complaint->setting, value), "must be " + complaint->allowed);
  }

  std::string name_;
  std::map<std::pair<std::string, std::string>, GivenSetting> given_;
  Config config_;
};

}  // namespace

Config parse_config(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  std::vector<GivenSetting> given;
  for (const std::string& entry : overrides) given.push_back(read_override(entry));
  return ConfigBuilder(name, read_toml(text, name), given).build();
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError(fmt::format("cannot read the configuration {}: {}", path, std::strerror(errno)));
  std::ostringstream text;
  // Fails for a directory, which opens like a file, and for an empty file.
  if (!(text << file.rdbuf())) throw ConfigError(fmt::format("the configuration {} is empty or not a file that can be read", path));
  return parse_config(text.str(), path, overrides);
}

}  // namespace grove
