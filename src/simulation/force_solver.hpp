// The force solver: gravity of all particles of all ranks by one of the methods `fmm`, `tree` and `direct`.
#pragma once

#include <cstdint>
#include <memory>

#include "decomposition/communicator.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/space/phase_clock.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// Computes gravity in two calls: what depends on where the sources are, and the forces on targets. The second may follow the first several
/// times, for different targets.
template <class Space>
class ForceSolver {
 public:
  virtual ~ForceSolver() = default;

  /// Makes ready for the particles at their present positions: decomposition, tree, moments, trees of other ranks. Particles may change
  /// rank and order; afterwards accelerations and potentials are undefined until forces() sets them. Marks its phases on `clock`.
  /// Collective.
  virtual void prepare(Particles<Space>& particles, PhaseClock<Space>& clock) = 0;

  /// Sets acceleration, potential and work of all particles or, where `active` [particles] is not null, of those for which it is not 0; it
  /// lies in the space, in the order that prepare() left. Marks its phases on `clock`. Collective; asynchronous at its end.
  virtual void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock) = 0;

  /// Work of the last forces() on this rank. Synchronises.
  virtual WorkCounts work_counts() = 0;
};

/// The solver for the method that `gravity.method` names. Throws ConfigError when there is none of that name, or for names of criteria and
/// kernels that there are not. `space` and `comm` must outlive it.
template <class Space>
std::unique_ptr<ForceSolver<Space>> make_force_solver(Space& space, const Communicator& comm, const GravityParameters& gravity);

}  // namespace grove
