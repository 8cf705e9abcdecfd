// Force errors of a sample, as a table and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/bench/percentiles.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// Relative errors against direct summation in FP64.
struct ForceErrors {
  std::uint64_t targets = 0;
  Percentiles acceleration, potential;
};

ForceErrors force_errors(const ForceSample& sample);

/// A line each for acceleration and potential.
std::string error_table(const ForceErrors& errors);
/// The same numbers under the names median, p90, p99, p999, max, rms.
nlohmann::ordered_json error_json(const ForceErrors& errors);

/// The seed of the sample when the user gives none.
inline constexpr std::uint64_t default_sample_seed = 1;

}  // namespace grove
