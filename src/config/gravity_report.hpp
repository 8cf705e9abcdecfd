// The configured gravity in words, and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/config/config_table.hpp"

namespace grove {

/// Whether gravity_text() shows the value of theta or tolerance; a sweep has many values.
enum class AccuracyValue { shown, left_out };

/// "method fmm, opening relative, tolerance 0.001, softening 0.01 (plummer)": the settings that the method uses. Parameters of a single
/// opening criterion follow its accuracy.
std::string gravity_text(const GravityParameters& gravity, AccuracyValue value = AccuracyValue::shown,
                         const ConfigTable& table = config_table());

/// Whether pairs act as point masses: the softening is 0, and components have none of their own.
bool is_not_softened(const GravityParameters& gravity);

/// The keys of [gravity] that have an effect, with their values.
nlohmann::ordered_json gravity_json(const GravityParameters& gravity, const ConfigTable& table = config_table());

}  // namespace grove
