// The interface of all integrators, and the view of the simulation that they get.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "io/saved_state.hpp"
#include "kernels/particles/particle_motion.hpp"

namespace grove {

/// What a simulation does when its integrator asks for it, or tells it.
struct StepCalls {
  std::function<void(double next_drift)> compute_forces;
  std::function<void()> begin_checks;          ///< in last_kick(), where the checks of the step begin
  std::function<void()> begin_motion = [] {};  ///< after forces, where kicks and drifts begin
  /// See ForceSolver::magnitudes_ahead(); where particles are drifted ahead.
  std::function<MagnitudesAhead(double drift)> magnitudes_ahead = [](double) { return MagnitudesAhead{}; };
  /// In StepContext::expect_forces() of a step that begins ahead.
  std::function<void(double next_drift)> expect_forces = [](double) {};
};

/// The particles of this rank during a step, and the operations on them.
template <class Space>
class StepContext {
 public:
  StepContext(Space& space, Particles<Space>& particles, StepCalls calls)
      : space_(space), particles_(particles), calls_(std::move(calls)) {}

  Space& space() { return space_; }
  /// They may be changed, so that sums() are then unknown.
  Particles<Space>& particles() {
    take_last_kick();
    if (!has_ended_) sums_.reset();
    if (std::exchange(has_forces_, false)) calls_.begin_motion();
    return particles_;
  }

  /// velocity += dt * acceleration, and position += dt * velocity, of all particles. Asynchronous.
  void kick(double dt) { grove::kick(space_, particles(), dt); }
  void drift(double dt) { grove::drift(space_, particles(), dt); }
  /// A kick and then a drift, which takes less time than one after the other.
  void kick_and_drift(double kick_dt, double drift_dt) {
    if (has_ended_ && last_kick_)
      later_sums_.emplace(end_and_begin(space_, particles_, *std::exchange(last_kick_, std::nullopt), kick_dt, drift_dt,
                                        calls_.magnitudes_ahead(drift_dt)));
    else
      grove::kick_and_drift(space_, particles(), kick_dt, drift_dt);
  }
  /// The kick with which a step ends, with the sums that are asked for after each step: in one loop, which has the kick and drift of the
  /// next step, too, if that begins ahead. Nothing may change the particles after it through a reference or view from before.
  void last_kick(double dt) {
    take_last_kick();
    has_forces_ = false;
    calls_.begin_checks();
    last_kick_ = dt;
  }
  /// Sets accelerations and potentials to those at the present positions. Particles may change order and rank; all fields that the table
  /// says travel go with them. Collective.
  ///
  /// `next_drift`: the time for which positions will be drifted before the next call, if the steps go on as this one, and were drifted
  /// since the last; 0: it is not so simple. If it is told, a tree may serve several forces (see TreeLife).
  void compute_forces(double next_drift = 0) {
    particles();
    calls_.compute_forces(next_drift);
    has_forces_ = true;
  }
  /// Tells that compute_forces(next_drift) comes next, with the particles as they are now.
  void expect_forces(double next_drift) {
    take_last_kick();
    if (has_ended_) calls_.expect_forces(next_drift);
  }

  /// The values of a field that the integrator has declared, with elements of type T. The view is valid until compute_forces().
  template <class T>
  View<T> field(const char* name) {
    const ParticleArray<Space>& array = particles().array(particles_.table()->array_of(name));
    return {reinterpret_cast<T*>(array.data()), array.size() * array.item_bytes() / sizeof(T)};
  }

  // For the simulation.

  /// The step is over: sums() stay those of its end, while the next one begins ahead.
  void end_step() {
    if (!last_kick_ && !sums_) {
      calls_.begin_checks();
      sums_ = sum_particles(space_, particles_);
    }
    has_ended_ = true;
  }
  /// The sums over the particles at the end of the step; before end_step(), as they are now, if the last thing that happened to them was
  /// last_kick(). Synchronises.
  const std::optional<ParticleSums>& sums() {
    take_last_kick();
    if (later_sums_) sums_ = later_sums_->get();
    later_sums_.reset();
    return sums_;
  }

 private:
  void take_last_kick() {
    if (last_kick_) sums_ = kick_and_sum(space_, particles_, *std::exchange(last_kick_, std::nullopt));
  }

  Space& space_;
  Particles<Space>& particles_;
  StepCalls calls_;
  std::optional<double> last_kick_;  ///< not yet taken: what comes next may be in the same loop
  bool has_ended_ = false;
  bool has_forces_ = false;  ///< computed last
  std::optional<ParticleSums> sums_;
  std::optional<LaterSums<Space>> later_sums_;
};

/// Takes steps.
template <class Space>
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// The two parts of a step of length `dt`, which may be negative. Before the first and after the second, accelerations are those of the
  /// present positions. Only the second one computes forces. The first one may be taken ahead, while the step before is looked at (see
  /// Simulation::announce_step()). Collective.
  virtual void begin(StepContext<Space>& context, double dt) = 0;
  virtual void end(StepContext<Space>& context, double dt) = 0;
  /// Whether begin() is a part of the step at all.
  virtual bool begins_ahead() const = 0;
  void step(StepContext<Space>& context, double dt) {
    begin(context, dt);
    end(context, dt);
  }
  /// What the next step depends on beside the particles; restore() takes it up again.
  virtual void save(SavedState&) const {}
  virtual void restore(const SavedState&) {}
};

}  // namespace grove
