#include <utility>

#include "src/integrators/adams_bashforth.hpp"

namespace grove {

namespace {

AdamsBashforthRow row(int order, std::vector<double> weights, const char* starter) {
  const std::string number = std::to_string(order);
  IntegratorInfo info{.name = "adams_bashforth" + number,
                      .meaning = "multistep, order " + number + ": one force evaluation a step; the first steps are those of " + starter,
                      .source = "Bashforth & Adams 1883",
                      .order = order,
                      .is_reversible = false};
  if (order > 1) info.fields = find_tableau(starter)->info.fields;
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (const std::string& name : {past_velocity_field(k), past_acceleration_field(k)})
      info.fields.push_back({.name = name, .components = 3});
  return {std::move(info), std::move(weights), starter};
}

}  // namespace

const std::vector<AdamsBashforthRow>& adams_bashforth_methods() {
  static const std::vector<AdamsBashforthRow> table{
      row(1, {1}, "euler"), row(2, {3.0 / 2, -1.0 / 2}, "rk4"), row(3, {23.0 / 12, -16.0 / 12, 5.0 / 12}, "rk4"),
      row(4, {55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24}, "rk4"),
      row(5, {1901.0 / 720, -2774.0 / 720, 2616.0 / 720, -1274.0 / 720, 251.0 / 720}, "dormand_prince")};
  return table;
}

std::string past_velocity_field(std::size_t row) { return "past_velocity_" + std::to_string(row); }
std::string past_acceleration_field(std::size_t row) { return "past_acceleration_" + std::to_string(row); }

}  // namespace grove
