// The leapfrog with steps that are divided by powers of two: for each particle (block steps) or for all alike (adaptive steps).
#pragma once

#include <cstdint>
#include <optional>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/gravity/softening_classes.hpp"
#include "src/integrators/integrator.hpp"
#include "src/integrators/step_parameters.hpp"

namespace grove {

/// Steps are divided at most this often.
inline constexpr int deepest_rung = 48;

/// A particle of rung r takes 2^r steps of kick, drift and kick while the base step lasts. Time is counted in ticks, whole numbers; all
/// particles drift from each end of any step to the next, and only those whose step ends there, the active ones, get a force. The kick
/// that ends a step and the one that begins the next are one loop, so that no acceleration has to be kept.
///
/// A particle may take a finer rung at the end of any of its steps, and a rung that is one coarser where a step of that begins. Heavy
/// particles are on the finest rung that is occupied: their own steps would be long, but all others feel where they are.
template <class Space>
class DividedLeapfrog final : public Integrator<Space> {
 public:
  /// Throws ConfigError for an unknown criterion, and for one that needs softening where there is none.
  DividedLeapfrog(const StepParameters& parameters, const GravityParameters& gravity);

  void begin(StepContext<Space>&, double) override {}
  void end(StepContext<Space>& context, double dt) override;
  bool has_two_parts() const override { return false; }
  const RungCensus& rung_work() const override { return census_; }

 private:
  struct Rungs {
    int coarsest = 0, finest = 0;  ///< that are occupied
  };

  void look_at_masses(StepContext<Space>& context);
  Rungs kick_and_choose(StepContext<Space>& context, std::uint64_t tick);
  void require_possible(StepContext<Space>& context, int finest) const;
  Rungs occupied(StepContext<Space>& context) const;
  void count_particles(StepContext<Space>& context, const Rungs& rungs);
  std::uint64_t count_from(StepContext<Space>& context, int coarsest) const;
  RungWork& work_of(int rung);
  const std::uint8_t* mark(Space& space, Particles<Space>& particles, std::uint64_t tick);

  const StepParameters parameters_;
  const SofteningClasses softening_;
  double pinned_mass_ = -1;  ///< particles of this mass and above are on the finest rung; < 0: not known yet
  bool has_pinned_ = false;
  double base_ = 0;  ///< the present base step
  int deepest_ = deepest_rung;
  RungCensus census_;
  std::optional<Buffer<Space, std::uint8_t>> active_;  ///< [particles] not 0 for active ones
};

}  // namespace grove
