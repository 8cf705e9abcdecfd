// The force solver: gravity of all particles of all ranks by one of the methods `fmm`, `tree` and `direct`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/transport_way.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/last_accelerations.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/space/phase_clock.hpp"
#include "src/solver/work_counts.hpp"

namespace grove {

/// A position or mass is not finite: thrown on all ranks.
class PositionsNotFinite : public DataError {
 public:
  PositionsNotFinite() : DataError("the position or mass of a particle is not finite") {}
};

/// Whose forces the next ForceSolver::forces() computes.
enum class Targets { all, some };

/// Computes gravity in two calls. prepare() does all that depends on the positions of the sources alone; forces() computes the forces on
/// targets. One or several calls of forces() follow one of prepare(), for different targets: the first receives what other ranks have sent.
/// A solver is for the particles of one run, from its start or restart on.
template <class Space>
class ForceSolver {
 public:
  virtual ~ForceSolver() = default;

  /// Makes ready for the particles at their present positions: decomposition, tree, moments, trees of other ranks. Particles may change
  /// rank and order. The memory of accelerations and potentials is scratch (see fields.hpp): each is undefined until forces() sets it for
  /// its particle. Reads and clears `particles.has_acceleration`. Marks its phases on `clock`. Collective. Throws PositionsNotFinite.
  ///
  /// `drift`: the time for which positions will move with their velocities before the next call, if it is known, and have moved since the
  /// last call if that had one: a tree may then be reused (see TreeReuse). 0: there is a new tree, for this call alone.
  ///
  /// `targets`: of the next forces().
  virtual void prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift = 0, Targets targets = Targets::all) = 0;

  /// Does the part of prepare() with this drift, for all targets, for which the host hardly waits for the device. The next call is
  /// prepare(), for the same particles, which with another drift begins anew, or forget_ahead(). Collective.
  virtual void prepare_ahead(Particles<Space>&, PhaseClock<Space>&, double /*drift*/) {}
  /// Forgets what was prepared ahead: the particles may then be others. There are no last accelerations then. Collective.
  virtual void forget_ahead() {}

  /// Where to put the magnitudes of the present accelerations if prepare() with this drift is next and reads only these; else nowhere. They
  /// must be put there before it.
  virtual MagnitudesAhead magnitudes_ahead(Particles<Space>&, double /*drift*/) { return {}; }

  /// Sets acceleration, potential and, unless the method is `direct`, work of the active particles. `active` [particles] lies in the memory
  /// of the space, in the order that prepare() left: not 0 for active particles; null: all are active, and `particles.has_acceleration` is
  /// set. Marks its phases on `clock`. Collective; asynchronous at its end. `meanwhile` is called once, when the device has the
  /// work and before the host waits for it: for other work of the host. On a GPU, forces on some may differ from those on all by rounding.
  virtual void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                      const std::function<void()>& meanwhile = {}) = 0;

  /// How messages travel between ranks, for the user; empty if this solver sends none. Collective. Throws AgreedError if they cannot go
  /// the way that is asked for.
  virtual std::string transport_description() { return {}; }

  /// Work of the last forces() on this rank. Synchronises.
  virtual WorkCounts work_counts() = 0;

  /// What the next prepare() depends on besides the particles, including their field `tree_level`, for a restart; the same on all ranks.
  /// save() is collective. restore() reads it into a new solver; from a solver of another kind, or another number of ranks, it takes
  /// nothing. `particles`: those that were saved with it.
  virtual void save(SavedState&) const {}
  virtual void restore(const SavedState&, const Particles<Space>&) {}
};

/// What a solver is made from. `space` and `comm` outlive it.
template <class Space>
struct SolverParts {
  Space& space;
  const Communicator& comm;
  const GravityParameters& gravity;
  const GravityLaw& law;
  TransportWay way;
};

/// A number of particles that is never too small for a tree.
inline constexpr std::uint64_t many_particles = ~std::uint64_t{0};

/// The solver for the method that `gravity.method` names, and for so many particles of all ranks: see uses_direct_summation(). `way`: of
/// messages between ranks. Throws ConfigError for an unknown method, opening criterion or softening kernel. `space` and `comm` must outlive
/// it.
template <class Space>
std::unique_ptr<ForceSolver<Space>> make_force_solver(Space& space, const Communicator& comm, const GravityParameters& gravity,
                                                      TransportWay way, std::uint64_t particle_count = many_particles);

}  // namespace grove
