// What gravity is configured to be, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/config/config_table.hpp"

namespace grove {

/// Whether a text says the value by which the opening criterion trades speed for accuracy. A sweep has many of them.
enum class AccuracyValue { shown, left_out };

/// "method fmm, opening relative, tolerance 0.001, softening 0 (plummer)": what the method looks at. Parameters that a single opening
/// criterion has of its own follow its accuracy.
std::string gravity_text(const GravityParameters& gravity, AccuracyValue value = AccuracyValue::shown,
                         const ConfigTable& table = config_table());

/// The keys of [gravity] that have an effect, with their values.
nlohmann::ordered_json gravity_json(const GravityParameters& gravity, const ConfigTable& table = config_table());

}  // namespace grove
