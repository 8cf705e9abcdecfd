#include "src/bench/percentiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace grove {

double percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto size = static_cast<double>(sorted.size());
  // The tolerance keeps 0.9 * 10 from becoming rank 10 by rounding.
  const double rank = std::clamp(std::ceil(share * size - 1e-9 * size), 1.0, size);
  return sorted[static_cast<std::size_t>(rank) - 1];
}

Percentiles percentiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end(), [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; });
  Percentiles result{percentile(values, 0.5),   percentile(values, 0.9), percentile(values, 0.99),
                     percentile(values, 0.999), percentile(values, 1.0), 0};
  double sum = 0;
  for (const double value : values) sum += value * value;
  if (!values.empty()) result.rms = std::sqrt(sum / static_cast<double>(values.size()));
  return result;
}

}  // namespace grove
