// The leapfrog with steps that are divided by powers of two: for each particle (block steps) or for all alike (adaptive steps).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/gravity/softening_classes.hpp"
#include "src/integrators/integrator.hpp"
#include "src/integrators/step_choice.hpp"
#include "src/integrators/step_parameters.hpp"

namespace grove {

/// Steps are divided at most this often.
inline constexpr int deepest_rung = 20;

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
  std::string choice_of_steps() const override { return choice_.text(); }
  void save(SavedState& state) const override;
  void restore(const SavedState& state) override;

 private:
  struct Rungs {
    int coarsest = 0, finest = 0;  ///< that are occupied
  };

  void choose_pinned(StepContext<Space>& context);
  void look_at_choice(const Communicator& comm);
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
  StepChoice choice_;       ///< with steps = "auto"
  double heavy_mass_ = -1;  ///< particles of this mass and above are heavy; < 0: not known yet
  double pinned_mass_ = 0;  ///< particles of this mass and above are on the finest rung of the present base step
  bool has_heavy_ = false;
  double base_ = 0;  ///< the present base step
  int deepest_ = deepest_rung;
  bool chooses_anew_ = false;  ///< in the present base step
  RungCensus census_;
  std::optional<Buffer<Space, std::uint8_t>> active_;  ///< [particles] not 0 for active ones
};

}  // namespace grove
