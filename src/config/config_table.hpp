// The table of all keys of the configuration. Parsing, checks, defaults, overrides and --print-config are loops over it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/config/setting.hpp"

namespace grove {

/// A key and the member of Config it stands for.
struct ConfigSetting {
  std::string section;
  Setting setting;
  std::function<void(Config&, const Value&)> set;  ///< takes a value of the key's type
  std::function<Value(const Config&)> get;
};

struct ConfigSection {
  std::string name;
  std::string meaning;  ///< one line
};

/// The sections in the order in which they are printed.
const std::vector<ConfigSection>& config_sections();

/// All keys but those of the generators (Generator::parameters), section by section. To add a key, add a line here.
const std::vector<ConfigSetting>& config_settings();

/// The key section.name, or null.
const ConfigSetting* find_config_setting(const std::string& section, const std::string& name);

/// True for the keys of [initial_conditions] that say how to generate: generator, n, seed.
bool belongs_to_generators(const ConfigSetting& row);

/// The key of [gravity] whose value leaves `row` without effect: opening for tolerance, method for order. Empty when it has an effect, and
/// for method = direct, which has no accuracy to set and takes the keys of the others as they are.
std::string setting_that_disables(const ConfigSetting& row, const GravityParameters& gravity);

}  // namespace grove
