// The integrators' names, settings and fields, which do not depend on the space.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/setting.hpp"
#include "kernels/particles/fields.hpp"

namespace grove {

/// One integrator; to add one, see integrators.hpp.
struct IntegratorInfo {
  std::string name;                     ///< value of time.integrator
  std::string meaning;                  ///< one line
  std::string source;                   ///< the paper, author year
  int order = 2;                        ///< the error of a run falls with this power of the step
  bool is_reversible = true;            ///< a run with reversed steps returns to its start, up to rounding
  bool tells_drift = false;             ///< to StepContext::compute_forces(): a tree may then be reused for several steps
  std::uint64_t forces_a_step = 1;      ///< 0: not one number; Integrator::rung_work() has the forces of its steps
  bool may_divide_steps = false;        ///< steps may be divided, for each particle or all (see DividedLeapfrog)
  std::vector<Setting> settings{};      ///< in [time], beside those of all integrators
  std::vector<ParticleField> fields{};  ///< fields of the particles that it needs beside the standard ones
};

/// The row of an integrator in a table of one kind of them, or null.
template <class Row>
const Row* find_row(const std::vector<Row>& table, const std::string& name) {
  for (const Row& row : table)
    if (row.info.name == name) return &row;
  return nullptr;
}

/// The table of integrators, the default first.
const std::vector<IntegratorInfo>& integrator_infos();

/// The integrator of that name, or null.
const IntegratorInfo* find_integrator_info(const std::string& name);

}  // namespace grove
