#include "src/integrators/step_parameters.hpp"

#include <algorithm>

#include "kernels/base/type_table.hpp"

namespace grove {

const std::vector<StepCriterionInfo>& step_criterion_infos() {
  static const std::vector<StepCriterionInfo> table = infos_of<StepCriteria>();
  return table;
}

bool needs_past(const std::string& criterion) {
  const std::vector<StepCriterionInfo>& all = step_criterion_infos();
  return std::any_of(all.begin(), all.end(), [&](const StepCriterionInfo& info) { return info.name == criterion && info.needs_past; });
}

}  // namespace grove
