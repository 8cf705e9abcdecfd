// Methods of computing gravity behind one interface: `tree` and `direct`. To add one, derive from ForceSolver and add a line to
// make_force_solver().
#pragma once

#include <memory>

#include "decomposition/communicator.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/space/phase_clock.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// Computes the gravity of all particles of all ranks.
template <class Space>
class ForceSolver {
 public:
  virtual ~ForceSolver() = default;

  /// Sets acceleration, potential and work of every particle. Particles may change rank and order. Marks its phases on `clock`.
  /// Collective; asynchronous at its end.
  virtual void compute(Particles<Space>& particles, PhaseClock<Space>& clock) = 0;

  /// Work of the last compute() on this rank. Synchronises.
  virtual WorkCounts work_counts() = 0;
};

/// The method that `gravity.method` names. Throws ConfigError when there is none of that name. `space` and `comm` must outlive it.
template <class Space>
std::unique_ptr<ForceSolver<Space>> make_force_solver(Space& space, const Communicator& comm, const GravityParameters& gravity);

}  // namespace grove
