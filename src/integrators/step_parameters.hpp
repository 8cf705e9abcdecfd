// How the length of steps is chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/particles/fields.hpp"
#include "src/integrators/step_criteria.hpp"

namespace grove {

/// Ways to choose steps. A base step, of the length that the run gives, may be divided by powers of two.
namespace steps {
inline constexpr const char *shared = "shared",  ///< all particles, the base step or an equal part of it
    *adaptive = "adaptive",                      ///< all particles, the step that the most demanding of them wants
        *block = "block",                        ///< each particle, the step that it wants
            *automatic = "auto";                 ///< one of these two, whichever is faster (see StepChoice)
}  // namespace steps

inline constexpr std::uint64_t most_substeps = std::uint64_t{1} << 20;

struct StepParameters {
  std::string steps = steps::shared;    ///< shared | adaptive | block | auto
  std::string criterion = "softening";  ///< name in step_criterion_infos()
  double accuracy = 0.025;              ///< of the criterion, > 0
  double dt_min = 0;                    ///< a particle that wants a shorter step is an error, code units; 0: the base step / 2^20
  std::uint64_t substeps = 1;           ///< shared: so many equal steps in each base step, a power of two up to most_substeps

  std::uint64_t core_up_to = 8192;   ///< most particles in a core (see Core); 0: there is none
  std::optional<int> core_beyond{};  ///< the core's limit whatever it costs, for tests
  bool pins_heavy = true;            ///< heavy particles are on the finest rung that is occupied; false for tests

  /// Whether base steps are divided.
  bool divide() const { return steps != steps::shared || substeps > 1; }
  /// The longest step of any particle in a base step dt.
  double longest(double dt) const { return steps == steps::shared ? dt / static_cast<double>(substeps) : dt; }
};

/// The table of criteria, the default first.
const std::vector<StepCriterionInfo>& step_criterion_infos();

/// The length of the last step of each particle, for snapshots that ask for it, as GADGET-4 writes it; 0 before the first step.
inline constexpr const char* time_step_field = "time_step";
inline ParticleField time_step_row() {
  return {.name = time_step_field,
          .dataset = "TimeStep",
          .type = ElementType::f8,
          .unit = {.length = 1, .velocity = -1},
          .snapshot = InSnapshot::on_request,
          .restart = false};
}

}  // namespace grove
