// The force solver: gravity of all particles of all ranks by one of the methods `fmm`, `tree` and `direct`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "decomposition/communicator.hpp"
#include "decomposition/transport_way.hpp"
#include "io/saved_state.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/last_accelerations.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/space/error.hpp"
#include "kernels/space/phase_clock.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// The name of a value in the saved state of a solver that may use a tree for several steps.
inline constexpr const char* saved_tree_life = "tree.life";

/// A position or mass is not finite: thrown on all ranks.
class PositionsNotFinite : public DataError {
 public:
  PositionsNotFinite() : DataError("the position or mass of a particle is not finite") {}
};

/// Computes gravity in two calls. prepare() does all that depends on the positions of the sources alone; forces() computes the forces on
/// targets. One or several calls of forces() follow one of prepare(), for different targets: the first receives what other ranks have sent.
template <class Space>
class ForceSolver {
 public:
  virtual ~ForceSolver() = default;

  /// Makes ready for the particles at their present positions: decomposition, tree, moments, trees of other ranks. Particles may change
  /// rank and order. The memory of accelerations and potentials is lent (see fields.hpp): each is undefined until forces() sets it for its
  /// particle. Reads and clears `particles.has_acceleration`. Marks its phases on `clock`. Collective. Throws
  /// PositionsNotFinite.
  ///
  /// `drift`: the time for which positions will move with their velocities before the next call, if it is known, as they have moved since
  /// the call before if that had one: a tree then may serve several calls (see TreeLife). 0: there is a new tree, for this call alone.
  ///
  /// With a drift, forces() then is for all particles.
  virtual void prepare(Particles<Space>& particles, PhaseClock<Space>& clock, double drift = 0) = 0;

  /// Does what prepare() with this drift would do, as far as the host need not wait for the device: on one rank. The next call is
  /// prepare(), for the same particles; with another drift it begins anew.
  virtual void prepare_ahead(Particles<Space>&, PhaseClock<Space>&, double /*drift*/) {}

  /// Where to put the magnitudes of the present accelerations, if prepare() with this drift is next and looks at these alone; else nowhere.
  /// They must then be put there before it.
  virtual MagnitudesAhead magnitudes_ahead(Particles<Space>&, double /*drift*/) { return {}; }

  /// Sets acceleration, potential and, unless the method is `direct`, work of the active particles. `active` [particles] lies in the memory
  /// of the space, in the order that prepare() left: not 0 for active particles; null: all are active, and `particles.has_acceleration` is
  /// set. Marks its phases on `clock`. Collective; asynchronous at its end. `meanwhile` is called on one rank, once, when the device has
  /// the work and before the host waits for it: for what the host has to do besides.
  virtual void forces(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock,
                      const std::function<void()>& meanwhile = {}) = 0;

  /// How messages travel between ranks, for the user. Collective. Throws AgreedError if they cannot go the way that is asked for.
  virtual std::string transport_description() = 0;

  /// Work of the last forces() on this rank. Synchronises.
  virtual WorkCounts work_counts() = 0;

  /// What the next prepare() depends on beside the particles, with the field `tree_level`, for a run that goes on; the same on all ranks.
  /// save() is collective. restore() takes it up again; of a solver of another kind, or of another number of ranks, it takes nothing.
  /// `particles`: those that were saved with it.
  virtual void save(SavedState&) const {}
  virtual void restore(const SavedState&, const Particles<Space>&) {}
};

/// The solver for the method that `gravity.method` names. Throws ConfigError for an unknown method, opening criterion or softening
/// kernel. `space` and `comm` must outlive it.
template <class Space>
std::unique_ptr<ForceSolver<Space>> make_force_solver(Space& space, const Communicator& comm, const GravityParameters& gravity,
                                                      TransportWay way = TransportWay::automatic);

}  // namespace grove
