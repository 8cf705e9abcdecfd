#include "src/integrators/integrator_info.hpp"

namespace grove {

const std::vector<IntegratorInfo>& integrator_infos() {
  static const std::vector<IntegratorInfo> table = {{"leapfrog", "kick-drift-kick, second order, symplectic", "Quinn et al. 1997"}};
  return table;
}

}  // namespace grove
