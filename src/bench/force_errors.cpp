#include "src/bench/force_errors.hpp"

#include <fmt/format.h>

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
