// The leapfrog with steps that are divided by powers of two: for each particle (block steps) or for all alike (adaptive steps).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "src/integrators/core.hpp"
#include "src/integrators/integrator.hpp"
#include "src/integrators/rung_loops.hpp"
#include "src/integrators/step_choice.hpp"
#include "src/integrators/step_parameters.hpp"

namespace grove {

/// A particle of rung r takes 2^r steps of kick, drift and kick while the base step lasts. Time is counted in ticks, whole numbers; all
/// particles drift from each end of any step to the next, and only those whose step ends there, the active ones, get a force. The kick
/// that ends a step and the one that begins the next are one loop, so that no acceleration has to be kept.
///
/// A particle may take a finer rung at the end of any of its steps, and a rung that is one coarser where a step of that begins. Heavy
/// particles are on the finest rung that is occupied: their own steps would be long, but all others feel where they are.
///
/// Where it is faster, the particles on the finest rungs are a core (see Core): for all others their steps are those of its limit. If there
/// are few particles, all of them are the core.
///
/// Equal steps that the run asks for (time.substeps) are those of particles on one rung.
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
  void begin_base_step(StepContext<Space>& context, double dt);
  void take_sub_steps(StepContext<Space>& context, double dt, Rungs rungs);
  void choose_core(StepContext<Space>& context, bool are_alike);
  void look_at_choice(const Communicator& comm);
  void look_at_masses(StepContext<Space>& context);
  Rungs kick_and_choose(StepContext<Space>& context, std::uint64_t tick);
  RungCounts count_particles(StepContext<Space>& context) const;
  Rungs occupied(StepContext<Space>& context) const;
  const std::uint8_t* mark(Space& space, Particles<Space>& particles, std::uint64_t tick);

  const StepParameters parameters_;
  const GravityParameters gravity_;
  RungRules rules_;    ///< of the present base step
  Rungs own_;          ///< rungs of particles that are not in the core; the finest is coarser than the coarsest: all are in it
  StepChoice choice_;  ///< with steps = "auto"
  Core<Space> core_;
  double heavy_mass_ = -1;  ///< particles of this mass and above are heavy; infinite: none is; < 0: not known yet
  RungCensus census_;
  std::optional<Buffer<Space, std::uint8_t>> active_;  ///< [particles] not 0 for active ones
};

}  // namespace grove
