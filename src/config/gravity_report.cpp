#include "src/config/gravity_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/gravity/gravity_names.hpp"
#include "src/solver/force_method.hpp"

namespace grove {

namespace {

/// Calls visit(name, value) for each key of [gravity] that has an effect.
template <class Visit>
void for_each_setting(const GravityParameters& gravity, const ConfigTable& table, Visit visit) {
  Config config;
  config.gravity = gravity;
  for (const ConfigSetting& row : table.settings) {
    if (row.section == "gravity" && applies(table, row, config)) visit(row.setting.name, row.get(config));
  }
}

}  // namespace

bool is_not_softened(const GravityParameters& gravity) { return gravity.softening == 0 && gravity.softening_of_component.empty(); }

std::string gravity_text(const GravityParameters& gravity, AccuracyValue value, const ConfigTable& table) {
  std::string text = "method " + gravity.method;
  if (walks_trees(gravity.method)) {
    text += ", opening " + gravity.opening;
    if (value == AccuracyValue::shown) text += fmt::format(", {} {}", accuracy_setting(gravity), accuracy(gravity));
    for_each_setting(gravity, table, [&](const std::string& name, const Value&) {
      if (gravity.parameters.contains(name)) text += fmt::format(", {} {}", name, gravity.parameter(name));
    });
  }
  const NumberTable& lengths = gravity.softening_of_component;
  if (is_not_softened(gravity)) return text + ", no softening";
  text += fmt::format(", softening {}", lengths.empty() ? fmt::format("{}", gravity.softening) : to_toml(lengths));
  if (!gravity.softening_between.empty()) text += fmt::format(", between components {}", to_toml(gravity.softening_between));
  return text + fmt::format(" ({})", gravity.softening_kernel);
}

nlohmann::ordered_json gravity_json(const GravityParameters& gravity, const ConfigTable& table) {
  nlohmann::ordered_json json;
  for_each_setting(gravity, table,
                   [&](const std::string& name, const Value& value) { std::visit([&](const auto& v) { json[name] = v; }, value); });
  return json;
}

}  // namespace grove
