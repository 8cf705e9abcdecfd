// The leapfrog integrator, kick-drift-kick: symplectic and reversible in time with a fixed step, of second order.
#pragma once

#include "kernels/particles/particle_motion.hpp"
#include "kernels/space/phase_clock.hpp"

namespace grove {

/// One step of length `dt` (Quinn et al. 1997, KDK). Accelerations must be those of the present positions; they are those of the new ones
/// afterwards. `compute_forces()` evaluates them; it may change the particles' order and rank.
template <class Space, class ComputeForces>
void leapfrog_step(Space& space, Particles<Space>& particles, double dt, PhaseClock<Space>& clock, ComputeForces compute_forces) {
  kick(space, particles, 0.5 * dt);
  drift(space, particles, dt);
  clock.mark("kick and drift");
  compute_forces();
  kick(space, particles, 0.5 * dt);
  clock.mark("kick and drift");
}

}  // namespace grove
