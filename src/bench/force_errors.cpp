#include "src/bench/force_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/base/text_table.hpp"

namespace grove {

namespace {

struct Column {
  const char* title;
  const char* name;
  double Percentiles::*value;
};

constexpr Column columns[] = {{"median", "median", &Percentiles::median}, {"90 %", "p90", &Percentiles::p90},
                              {"99 %", "p99", &Percentiles::p99},         {"99.9 %", "p999", &Percentiles::p999},
                              {"max", "max", &Percentiles::max},          {"rms", "rms", &Percentiles::rms}};

}  // namespace

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

ForceErrors force_errors(const ForceSample& sample) {
  return {sample.id.size(), percentiles_of(sample.acceleration_error), percentiles_of(sample.potential_error)};
}

std::string error_table(const ForceErrors& errors) {
  std::vector<std::string> headers{"relative error"}, acceleration{"acceleration"}, potential{"potential"};
  for (const Column& column : columns) {
    headers.push_back(column.title);
    acceleration.push_back(fmt::format("{:.3e}", errors.acceleration.*column.value));
    potential.push_back(fmt::format("{:.3e}", errors.potential.*column.value));
  }
  TextTable table(headers);
  table.add_row(acceleration);
  table.add_row(potential);
  return table.text();
}

nlohmann::ordered_json error_json(const ForceErrors& errors) {
  nlohmann::ordered_json acceleration, potential;
  for (const Column& column : columns) {
    acceleration[column.name] = errors.acceleration.*column.value;
    potential[column.name] = errors.potential.*column.value;
  }
  return {{"targets", errors.targets}, {"acceleration", acceleration}, {"potential", potential}};
}

}  // namespace grove
