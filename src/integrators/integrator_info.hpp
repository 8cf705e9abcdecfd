// What the configuration knows of the integrators: their names, and the settings of their own.
#pragma once

#include <string>
#include <vector>

#include "src/config/setting.hpp"

namespace grove {

/// One integrator; to add one, see integrators.hpp.
struct IntegratorInfo {
  std::string name;                 ///< value of time.integrator
  std::string meaning;              ///< one line
  std::string source;               ///< the paper, author year
  std::vector<Setting> settings{};  ///< in [time], beside those of all integrators
};

/// The table of integrators, the default first.
const std::vector<IntegratorInfo>& integrator_infos();

/// The integrator of that name, or null.
const IntegratorInfo* find_integrator_info(const std::string& name);

}  // namespace grove
