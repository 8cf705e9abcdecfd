// Three leapfrog steps that make one of fourth order (Yoshida 1990, eq. 2.11): symplectic and reversible in time.
#pragma once

#include <cmath>

#include "src/integrators/integrator.hpp"
#include "src/integrators/integrator_info.hpp"

namespace grove {

struct Yoshida4 {
  static IntegratorInfo info() {
    return {.name = "yoshida4",
            .meaning =
                "three leapfrog steps, the middle one backwards: fourth order, three force evaluations a step; it pays where steps are "
                "short against the time in which a particle crosses a softening length",
            .source = "Yoshida 1990",
            .order = 4};
  }
  explicit Yoshida4(const SettingValues&) {}

  // The outer and the middle part of a step: 2 outer + middle = 1, and the errors of third order cancel.
  const double root = std::cbrt(2.0), outer = 1 / (2 - root), middle = -root * outer;

  template <class Space>
  void begin(StepContext<Space>& context, double dt) const {
    context.kick(0.5 * outer * dt);
    context.drift(outer * dt);
    context.compute_forces();
  }
  template <class Space>
  void end(StepContext<Space>& context, double dt) const {
    context.kick(0.5 * (outer + middle) * dt);
    context.drift(middle * dt);
    context.compute_forces();
    context.kick(0.5 * (middle + outer) * dt);
    context.drift(outer * dt);
    context.compute_forces();
    context.kick(0.5 * outer * dt);
  }
};

}  // namespace grove
