// Whether the time step is short enough for the forces of a state.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/particles.hpp"
#include "src/integrators/step_parameters.hpp"

namespace grove {

struct StepCriterion {
  double too_long = 0;  ///< share of the particles with mass, of all ranks, for which the step is too long
  double would_do = 0;  ///< the step that was asked for or a shorter one, too long for the tolerated share of them at most, code units
  bool is_known = false;  ///< there are particles for which the criterion knows a step
};

/// The share of particles that a step may be too long for.
inline constexpr double tolerated_share = 0.01;

/// What the criterion of `steps`, by default that of Power et al. (2003) with an accuracy of 0.025 as in GADGET-4, says of a step for the
/// present accelerations. Without softening, a criterion that needs one finds nothing too long. Particles without mass have no gravity that
/// a softening smooths: they do not count. Collective; synchronises.
template <class Space>
StepCriterion apply_step_criterion(Space& space, const Communicator& comm, const Particles<Space>& particles,
                                   const GravityParameters& gravity, double dt, const StepParameters& steps = {},
                                   double tolerated = tolerated_share);

}  // namespace grove
