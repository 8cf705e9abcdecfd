// Whether the time step is short enough for the forces of a state.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/particles.hpp"

namespace grove {

/// The criterion of Power et al. (2003), eq. 5, as in GADGET-4: a particle with acceleration a needs a step of sqrt(2 eta softening / |a|)
/// at most, with eta = 0.025.
struct StepCriterion {
  double too_long = 0;  ///< share of the particles with mass, of all ranks, for which the step is too long
  double would_do = 0;  ///< a step that is too long for 1 % of them at most, code units
};

/// Looks at the present accelerations. Without softening there is no criterion: nothing is too long. Particles without mass have no
/// gravity that a softening smooths: they do not count. Collective; synchronises.
template <class Space>
StepCriterion apply_step_criterion(Space& space, const Communicator& comm, const Particles<Space>& particles,
                                   const GravityParameters& gravity, double dt);

/// The share of particles that a step may be too long for.
inline constexpr double tolerated_share = 0.01;

}  // namespace grove
