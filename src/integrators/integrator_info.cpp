#include "src/integrators/integrator_info.hpp"

#include "src/config/named_rows.hpp"

namespace grove {

const std::vector<IntegratorInfo>& integrator_infos() {
  static const std::vector<IntegratorInfo> table = {{"leapfrog", "kick-drift-kick, second order, symplectic", "Quinn et al. 1997"}};
  return table;
}

const IntegratorInfo* find_integrator_info(const std::string& name) { return find_named(integrator_infos(), name); }

}  // namespace grove
