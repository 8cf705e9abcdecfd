#include "src/integrators/step_parameters.hpp"

#include "kernels/base/type_table.hpp"

namespace grove {

const std::vector<StepCriterionInfo>& step_criterion_infos() {
  static const std::vector<StepCriterionInfo> table = infos_of<StepCriteria>();
  return table;
}

}  // namespace grove
