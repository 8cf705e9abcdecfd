#include "src/integrators/integrator_info.hpp"

#include "kernels/base/named_rows.hpp"
#include "src/integrators/integrators.hpp"

namespace grove {

namespace {

template <class... Types>
std::vector<IntegratorInfo> integrator_infos_of(const std::tuple<Types...>*) {
  return {Types::info()...};
}

}  // namespace

const std::vector<IntegratorInfo>& integrator_infos() {
  static const std::vector<IntegratorInfo> table = integrator_infos_of(static_cast<const Integrators*>(nullptr));
  return table;
}

const IntegratorInfo* find_integrator_info(const std::string& name) { return find_named(integrator_infos(), name); }

}  // namespace grove
