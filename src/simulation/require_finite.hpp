// The check that the numbers of a run are finite.
#pragma once

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"
#include "kernels/particles/particle_motion.hpp"
#include "kernels/space/phase_clock.hpp"

namespace grove {

/// The position, the velocity or the force of a particle is not finite: all ranks know.
class NotFiniteError : public AgreedError {
 public:
  using AgreedError::AgreedError;
};

/// Throws NotFiniteError (exit code of DataError) on all ranks, naming a particle whose `part` is not finite at `time`. A rank that knows
/// that all of its own are finite says so with `are_finite_here`. `advice`: of the message. Marks its phases on `clock`; null: on none.
/// Collective; synchronises.
template <class Space>
void require_finite(Space& space, const Communicator& comm, const Particles<Space>& particles, ParticlePart part, double time,
                    PhaseClock<Space>* clock, bool are_finite_here = false,
                    const char* advice = "a smaller time step or a larger gravity.softening may help");

}  // namespace grove
