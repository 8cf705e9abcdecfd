#include "src/integrators/integrator_info.hpp"

#include "kernels/base/named_rows.hpp"
#include "src/integrators/integrators.hpp"

namespace grove {

const std::vector<IntegratorInfo>& integrator_infos() {
  static const std::vector<IntegratorInfo> table = [] {
    std::vector<IntegratorInfo> infos;
    const auto add = [&](const auto& rows) {
      for (const auto& row : rows) infos.push_back(row.info);
    };
    add(compositions());
    add(tableaux());
    add(adams_bashforth_methods());
    return infos;
  }();
  return table;
}

const IntegratorInfo* find_integrator_info(const std::string& name) { return find_named(integrator_infos(), name); }

}  // namespace grove
