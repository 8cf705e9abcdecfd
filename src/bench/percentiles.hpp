// Percentiles of a sample: force errors, wall times.
#pragma once

#include <vector>

namespace grove {

/// How the values of a sample are distributed. All zero for an empty sample.
struct Percentiles {
  double median = 0;
  double p90 = 0;  ///< 90 % of the values are at most this
  double p99 = 0;
  double p999 = 0;  ///< 99.9 %
  double max = 0;
  double rms = 0;
};

/// Percentiles by the nearest-rank definition: the smallest value that at least the given share of the sample does not exceed.
/// NaN counts as larger than anything, so that a broken force shows in `max` first and everywhere in the end.
Percentiles percentiles_of(std::vector<double> values);

/// The nearest-rank percentile of values sorted in increasing order; `share` in [0, 1]. 0 for an empty sample.
double percentile(const std::vector<double>& sorted, double share);

}  // namespace grove
