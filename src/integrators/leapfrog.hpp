// The leapfrog, kick-drift-kick (Quinn et al. 1997): of second order, symplectic and reversible in time.
#pragma once

#include "src/integrators/integrator.hpp"
#include "src/integrators/integrator_info.hpp"

namespace grove {

struct Leapfrog {
  static IntegratorInfo info() {
    return {.name = "leapfrog",
            .meaning = "kick-drift-kick, second order, one force evaluation a step",
            .source = "Quinn et al. 1997",
            .tells_drift = true,
            .may_divide_steps = true};
  }
  explicit Leapfrog(const SettingValues&) {}

  template <class Space>
  void begin(StepContext<Space>& context, double dt) const {
    context.kick(0.5 * dt);
    context.drift(dt);
    context.compute_forces(dt);
  }
  template <class Space>
  void end(StepContext<Space>& context, double dt) const {
    context.kick(0.5 * dt);
  }
};

}  // namespace grove
