// The Adams-Bashforth methods: the next step by the velocities and accelerations of the last ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/integrators/integrator.hpp"
#include "src/integrators/runge_kutta.hpp"

namespace grove {

/// Of order k: a step of length h leads to x + h sum_j weights[j] v_j and v + h sum_j weights[j] a_j with the velocities and accelerations
/// at the beginning of the last k steps.
struct AdamsBashforthRow {
  IntegratorInfo info;
  std::vector<double> weights;  ///< [k], those of the present step first
  std::string starter;          ///< Runge-Kutta method of at least the same order for the first k - 1 steps
};

/// The table, by order.
const std::vector<AdamsBashforthRow>& adams_bashforth_methods();

/// The fields of the particles that have their velocities and accelerations of past steps, for row < k.
std::string past_velocity_field(std::size_t row);
std::string past_acceleration_field(std::size_t row);

/// Past steps are part of checkpoints. Where the length of steps changes, it begins anew.
template <class Space>
class AdamsBashforth final : public Integrator<Space> {
 public:
  /// `row` outlives it.
  AdamsBashforth(const AdamsBashforthRow& row, const StepParameters& steps, const GravityParameters& gravity);

  bool has_two_parts() const override { return false; }
  void begin(StepContext<Space>&, double) override {}
  void end(StepContext<Space>& context, double dt) override;
  void forget() override { known_ = 0; }
  void save(SavedState& state) const override;
  void restore(const SavedState& state) override;

 private:
  const AdamsBashforthRow& row_;
  RungeKutta<Space> starter_;
  double dt_ = 0;             ///< of the steps that are known
  std::uint64_t known_ = 0;   ///< steps, k at most
  std::uint64_t newest_ = 0;  ///< row of the last one; older ones stand before it, and go on at the end
};

}  // namespace grove
