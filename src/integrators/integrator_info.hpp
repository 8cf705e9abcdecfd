// What is known of the integrators without a space: names, settings and fields of their own.
#pragma once

#include <string>
#include <vector>

#include "kernels/particles/fields.hpp"
#include "src/config/setting.hpp"

namespace grove {

/// One integrator; to add one, see integrators.hpp.
struct IntegratorInfo {
  std::string name;                     ///< value of time.integrator
  std::string meaning;                  ///< one line
  std::string source;                   ///< the paper, author year
  int order = 2;                        ///< the error of a run falls with this power of the step
  bool is_reversible = true;            ///< a run turned round comes back to its start but for rounding
  std::vector<Setting> settings{};      ///< in [time], beside those of all integrators
  std::vector<ParticleField> fields{};  ///< what particles need for it beside the standard fields
};

/// The table of integrators, the default first.
const std::vector<IntegratorInfo>& integrator_infos();

/// The integrator of that name, or null.
const IntegratorInfo* find_integrator_info(const std::string& name);

}  // namespace grove
