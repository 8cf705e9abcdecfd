// Force errors of a sample: their percentiles, as a table and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/simulation/simulation.hpp"

namespace grove {

/// How the values of a sample are distributed. All zero for an empty sample.
struct Percentiles {
  double median = 0, p90 = 0, p99 = 0, p999 = 0;  ///< at most these are 50, 90, 99 and 99.9 % of the values
  double max = 0, rms = 0;
};

/// Percentiles by the nearest-rank definition: the smallest value that at least the given share of the sample does not exceed.
/// NaN counts as larger than anything, so that a broken force shows in `max` first and everywhere in the end.
Percentiles percentiles_of(std::vector<double> values);

/// The nearest-rank percentile of values sorted in increasing order; `share` in [0, 1]. 0 for an empty sample.
double percentile(const std::vector<double>& sorted, double share);

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
