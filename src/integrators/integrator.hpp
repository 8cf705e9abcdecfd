// The interface of all integrators, and what they can do with the particles.
#pragma once

#include <functional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/particles/particles.hpp"
#include "src/integrators/rung_work.hpp"

namespace grove {

/// Says which particles are active, in the order that they have when it is called: [particles] not 0 for these, in memory of the space.
template <class Space>
using MarkActive = std::function<const std::uint8_t*(Space& space, Particles<Space>& particles)>;

/// The particles of this rank during a step, and the operations on them. All of them are asynchronous, except where they say otherwise.
template <class Space>
class StepContext {
 public:
  virtual ~StepContext() = default;

  virtual Space& space() = 0;
  virtual const Communicator& comm() = 0;
  /// They may be changed.
  virtual Particles<Space>& particles() = 0;

  /// velocity += dt * acceleration, of all particles. A kick may wait for the next call of any of these functions, to share its loop: a
  /// reference or view from before shows it after that call.
  virtual void kick(double dt) = 0;
  /// position += dt * velocity, of all particles.
  virtual void drift(double dt) = 0;
  /// Says that the integrator has set the positions itself, to those at this time after the beginning of the step: external potentials may
  /// depend on it.
  virtual void positions_are_at(double since_beginning) = 0;
  /// Whether forces have more in them than those of the particles on each other.
  virtual bool has_external_forces() = 0;
  /// Like positions_are_at(), on one rank without external forces: the integrator has set the accelerations and potentials, too.
  virtual void forces_are_set(double since_beginning) = 0;
  /// Sets accelerations and potentials to those at the present positions. Particles may change order and rank; all fields that the table
  /// says travel go with them. Collective; synchronises.
  ///
  /// `next_drift`: the time for which positions will be drifted before the next call, if the steps continue like this one, and were drifted
  /// since the last one. 0: this is not known. If it is given, a tree may be used for several forces (see TreeReuse).
  ///
  /// `mark`: only the forces of these particles are wanted, those of others are undefined afterwards; empty: all. The particles then must
  /// have the field own_gravity.
  virtual void compute_forces(double next_drift = 0, const MarkActive<Space>& mark = {}) = 0;

  /// The values of a field that the integrator has declared, with elements of type T. The view is valid until compute_forces(). Throws
  /// std::logic_error for an unknown name.
  template <class T>
  View<T> field(const char* name) {
    Particles<Space>& all = particles();
    const ParticleArray<Space>& array = all.array(all.table()->array_of(name));
    return {reinterpret_cast<T*>(array.data()), array.size() * array.item_bytes() / sizeof(T)};
  }
};

/// Takes steps.
template <class Space>
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// The two parts of a step of length `dt`, which may be negative. Before begin() and after end(), accelerations are those of the present
  /// positions. The call of compute_forces() with which begin() ends is the only one in it. Collective.
  virtual void begin(StepContext<Space>& context, double dt) = 0;
  virtual void end(StepContext<Space>& context, double dt) = 0;
  /// Whether begin() is a part of the step at all. If not, end() is the whole step.
  virtual bool has_two_parts() const = 0;
  /// Of the last step on this rank.
  virtual const RungCensus& rung_work() const {
    static const RungCensus none;
    return none;
  }
  /// Which steps it has chosen and why, one sentence for the user, the same on all ranks; empty: there is no choice.
  virtual std::string choice_of_steps() const { return {}; }
  /// The particles are no longer those that it left: what it remembers of past steps is not theirs.
  virtual void forget() {}
  /// What the next step depends on beside the particles; restore() takes it up again.
  virtual void save(SavedState&) const {}
  virtual void restore(const SavedState&) {}
};

}  // namespace grove
