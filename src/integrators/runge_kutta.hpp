// Runge-Kutta methods of any tableau, with steps of one length, or of lengths that an embedded pair chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/gravity/gravity_parameters.hpp"
#include "src/integrators/integrator.hpp"
#include "src/integrators/motion_sums.hpp"
#include "src/integrators/step_parameters.hpp"
#include "src/integrators/tableaux.hpp"

namespace grove {

/// Steps in Nystroem's form: each stage is a row of accelerations, which follow their particles over places and ranks. The velocities stay
/// those of the step's beginning until its end.
///
/// With time.error an embedded pair divides the step that it is asked for into steps of its own, the same for all particles: as long as
/// they may be, if the estimates of their errors (largest_error()) are not to exceed time.error in the whole step. One whose error is too
/// large is taken back, and is tried again with a shorter length. The length is proportional to rate^(-1/q), where the rate is the error
/// over the length and q the lower order of the pair (Hairer, Norsett & Wanner 1993, II.4).
///
/// The stages of an implicit method are computed again and again, each with what is known of the others, until they stand still.
template <class Space>
class RungeKutta final : public Integrator<Space> {
 public:
  /// `tableau` outlives it.
  RungeKutta(const Tableau& tableau, const SettingValues& settings, const StepParameters& steps, const GravityParameters& gravity);

  bool has_two_parts() const override { return false; }
  void begin(StepContext<Space>&, double) override {}
  /// Throws DataError where a step shorter than time.dt_min is needed, and where the stages of an implicit method do not stand still.
  void end(StepContext<Space>& context, double dt) override;
  const RungCensus& rung_work() const override { return census_; }
  void forget() override { next_ = 0; }
  void save(SavedState& state) const override;
  void restore(const SavedState& state) override;

 private:
  void divide(StepContext<Space>& context, double dt);
  [[noreturn]] void refuse(StepContext<Space>& context, const Largest& error, double shortest);
  void count(StepContext<Space>& context, double part, double seconds);
  double length_of_next(double left) const;
  void begin_step(StepContext<Space>& context);
  void compute_stages(StepContext<Space>& context, double from, double h);
  double compute_stage(StepContext<Space>& context, std::size_t stage, double from, double h);
  Largest error_of_stages(StepContext<Space>& context, double h);
  void end_step(StepContext<Space>& context, double h, double to);
  VectorSum sum_of_stages(StepContext<Space>& context, const std::vector<double>& weights, double factor) const;

  const Tableau& tableau_;
  const NystroemForm form_;
  const double error_;
  const std::uint64_t iterations_;
  const double dt_min_;
  const bool is_direct_;
  double next_ = 0;                ///< length of the next step, > 0; 0: not known
  std::uint64_t evaluations_ = 0;  ///< of the forces, in the present step
  RungCensus census_;              ///< of the run's last step
};

}  // namespace grove
