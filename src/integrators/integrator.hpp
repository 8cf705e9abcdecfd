// The interface of all integrators, and the view of the simulation that they get.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "io/saved_state.hpp"
#include "kernels/particles/particle_motion.hpp"

namespace grove {

/// The particles of this rank during a step, and the operations on them.
template <class Space>
class StepContext {
 public:
  /// `compute_forces` and `begin_checks` are called where the forces and, in last_kick(), the checks of the step begin.
  StepContext(Space& space, Particles<Space>& particles, std::function<void(double)> compute_forces, std::function<void()> begin_checks)
      : space_(space), particles_(particles), compute_forces_(std::move(compute_forces)), begin_checks_(std::move(begin_checks)) {}

  Space& space() { return space_; }
  /// They may be changed, so that sums() are then unknown.
  Particles<Space>& particles() {
    sums_.reset();
    return particles_;
  }

  /// velocity += dt * acceleration, and position += dt * velocity, of all particles. Asynchronous.
  void kick(double dt) { grove::kick(space_, particles(), dt); }
  void drift(double dt) { grove::drift(space_, particles(), dt); }
  /// A kick and then a drift, which takes less time than one after the other.
  void kick_and_drift(double kick_dt, double drift_dt) { grove::kick_and_drift(space_, particles(), kick_dt, drift_dt); }
  /// The kick with which a step ends, with the sums that are asked for after each step: kick_and_sum() takes less time than a kick and then
  /// these. Nothing may change the particles after it through a reference or view from before. Synchronises.
  void last_kick(double dt) {
    begin_checks_();
    sums_ = kick_and_sum(space_, particles_, dt);
  }
  /// The sums over the particles as they are now, if the last thing that happened to them was last_kick().
  const std::optional<ParticleSums>& sums() const { return sums_; }
  /// Sets accelerations and potentials to those at the present positions. Particles may change order and rank; all fields that the table
  /// says travel go with them. Collective.
  ///
  /// `next_drift`: the time for which positions will be drifted before the next call, if the steps go on as this one, and were drifted
  /// since the last; 0: it is not so simple. If it is told, a tree may serve several forces (see TreeLife).
  void compute_forces(double next_drift = 0) {
    sums_.reset();
    compute_forces_(next_drift);
  }

  /// The values of a field that the integrator has declared, with elements of type T. The view is valid until compute_forces().
  template <class T>
  View<T> field(const char* name) {
    sums_.reset();
    const ParticleArray<Space>& array = particles_.array(particles_.table()->array_of(name));
    return {reinterpret_cast<T*>(array.data()), array.size() * array.item_bytes() / sizeof(T)};
  }

 private:
  Space& space_;
  Particles<Space>& particles_;
  std::function<void(double)> compute_forces_;
  std::function<void()> begin_checks_;
  std::optional<ParticleSums> sums_;
};

/// Takes steps.
template <class Space>
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// One step of length `dt`, which may be negative. Before and after the step, accelerations are those of the present positions.
  /// Collective.
  virtual void step(StepContext<Space>& context, double dt) = 0;
  /// What the next step depends on beside the particles; restore() takes it up again.
  virtual void save(SavedState&) const {}
  virtual void restore(const SavedState&) {}
};

}  // namespace grove
