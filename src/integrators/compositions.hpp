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
  explicit Composition(const CompositionRow& row) : row_(row), weights_(row.weights) {}

  bool has_two_parts() const override { return true; }
  void begin(StepContext<Space>& context, double dt) override {
    context.kick(0.5 * weights_.front() * dt);
    drift_and_force(context, 0, dt);
  }
  void end(StepContext<Space>& context, double dt) override {
    for (std::size_t i = 1; i < weights_.size(); ++i) {
      context.kick(0.5 * (weights_[i - 1] + weights_[i]) * dt);
      drift_and_force(context, i, dt);
    }
    context.kick(0.5 * weights_.back() * dt);
  }

 private:
  void drift_and_force(StepContext<Space>& context, std::size_t i, double dt) const {
    context.drift(weights_[i] * dt);
    context.compute_forces(row_.info.tells_drift ? dt : 0);
  }

  const CompositionRow& row_;
  const std::vector<double>& weights_;
};

}  // namespace grove
