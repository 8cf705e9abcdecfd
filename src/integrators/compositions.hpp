// Integrators that are several steps of the leapfrog, one after the other: the leapfrog itself and methods of higher order.
#pragma once

#include <cstddef>
#include <vector>

#include "src/integrators/integrator.hpp"
#include "src/integrators/integrator_info.hpp"

namespace grove {

/// A step of length h is the leapfrog steps of length weights[i] h, kick-drift-kick each. All are symplectic; where the weights are the
/// same from both ends, they are reversible in time, too.
struct CompositionRow {
  IntegratorInfo info;
  std::vector<double> weights;  ///< sum 1
};

/// The table, the leapfrog first.
const std::vector<CompositionRow>& compositions();

template <class Space>
class Composition final : public Integrator<Space> {
 public:
  /// `row` outlives it.
  explicit Composition(const CompositionRow& row) : row_(row) {}

  bool has_two_parts() const override { return true; }
  void begin(StepContext<Space>& context, double dt) override {
    context.kick(0.5 * row_.weights.front() * dt);
    drift_and_force(context, 0, dt);
  }
  void end(StepContext<Space>& context, double dt) override {
    const std::vector<double>& weights = row_.weights;
    for (std::size_t i = 1; i < weights.size(); ++i) {
      context.kick(0.5 * (weights[i - 1] + weights[i]) * dt);
      drift_and_force(context, i, dt);
    }
    context.kick(0.5 * weights.back() * dt);
  }

 private:
  void drift_and_force(StepContext<Space>& context, std::size_t i, double dt) const {
    context.drift(row_.weights[i] * dt);
    context.compute_forces(row_.info.tells_drift ? dt : 0);
  }

  const CompositionRow& row_;
};

}  // namespace grove
