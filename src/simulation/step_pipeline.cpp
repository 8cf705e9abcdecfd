#include "src/simulation/step_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/base/activity.hpp"
#include "src/simulation/own_gravity.hpp"
#include "src/simulation/require_finite.hpp"

namespace grove {

template <class Space>
StepPipeline<Space>::StepPipeline(const StepParts<Space>& parts)
    : parts_(parts),
      clock_(std::make_unique<PhaseClock<Space>>(parts.space)),
      next_clock_(std::make_unique<PhaseClock<Space>>(parts.space)) {}

template <class Space>
void StepPipeline<Space>::restart(double time) {
  parts_.solver.forget_ahead();
  forget_step(time);
}

template <class Space>
void StepPipeline<Space>::forget_step(double time) {
  state_ = StepState::synchronised;
  kick_.reset();
  last_kick_.reset();
  later_sums_.reset();
  forget_sums();
  are_of_some_ = false;
  host_work_ = nullptr;
  time_ = time_of_positions_ = time;
  parts_.external.set_time(time);
  parts_.integrator.forget();
}

template <class Space>
void StepPipeline<Space>::recompute_forces() {
  require_no_next_step();
  clock_->restart();
  evaluate_forces(0, {});
  require_finite(parts_.space, parts_.comm, parts_.particles, ParticlePart::force, time_, clock_.get(), false,
                 "a larger gravity.softening, other units or, unless it is chosen, gravity.method = \"direct\", all in FP64, may help");
  state_ = StepState::synchronised;
}

template <class Space>
void StepPipeline<Space>::step(double time_after, double dt, const StepOverlap& overlap) {
  if (state_ != StepState::synchronised && !has_next_step_begun(state_))
    throw std::logic_error(std::string("the last step was not completed: forces must be computed first; the simulation is ") +
                           to_string(state_));
  const bool has_begun = has_next_step_begun(state_);
  if (has_begun && next_dt_ != dt)
    throw std::logic_error("a step has the length " + std::to_string(dt) + ", and has begun with " + std::to_string(next_dt_));
  // The device is done soon with what it has of this step. So it gets the walk first, and the host works during that.
  if (has_begun && Space::on_gpu) {
    host_work_ = overlap.host_work;
  } else if (overlap.host_work) {
    overlap.host_work();
    begin_activity("step");
  }
  try {
    // Some energies need the particles of the step's end.
    const bool may_overlap = parts_.external.empty() && !parts_.own_energy.needs_particles() && parts_.integrator.has_two_parts();
    time_ = time_after;
    take_step(dt, may_overlap ? overlap.next_dt : std::nullopt);
  } catch (...) {
    // Not collective: this rank may be the only one.
    forget_step(time_);
    state_ = StepState::moving;
    throw;
  }
}

template <class Space>
void StepPipeline<Space>::take_step(double dt, const std::optional<double>& next_dt) {
  take_first_part(dt);
  parts_.integrator.end(*this, dt);
  time_of_positions_ = time_;
  clock_->begin("checks");
  last_kick_ = std::exchange(kick_, std::nullopt);
  if (!last_kick_) set_sums(sum_particles(parts_.space, parts_.particles));
  if (next_dt)
    begin_next_step(*next_dt);
  else
    state_ = StepState::synchronised;
  finish_step();
}

/// From the beginning of a step to its first forces, or what of it has not been done yet.
template <class Space>
void StepPipeline<Space>::take_first_part(double dt) {
  if (has_next_step_begun(state_)) {
    std::swap(clock_, next_clock_);
    if (std::exchange(state_, StepState::moving) == StepState::next_forces_due) compute_forces(next_drift_, {});
    return;
  }
  clock_->restart();
  clock_->begin("kick and drift");
  state_ = StepState::moving;
  time_of_beginning_ = time_of_positions_;
  parts_.integrator.begin(*this, dt);
}

template <class Space>
void StepPipeline<Space>::begin_next_step(double dt) {
  state_ = StepState::next_begun;
  next_dt_ = dt;
  parts_.integrator.begin(*this, dt);
  take_kicks();
}

/// Waits for the sums of the step that has ended. They also tell whether a force is not finite.
template <class Space>
void StepPipeline<Space>::finish_step() {
  do_host_work();
  take_sums();
  const bool are_next_due = state_ == StepState::next_forces_due;
  PhaseClock<Space>* const clock = are_next_due ? nullptr : clock_.get();
  if (clock && parts_.comm.size() > 1) clock->begin("waiting");
  const auto is_finite = [](const RankSums& rank) { return std::isfinite(rank.sums.potential.value()); };
  const bool are_finite = std::all_of(sums().begin(), sums().end(), is_finite);
  if (clock) clock->end();
  if (!are_finite)
    require_finite<Space>(parts_.space, parts_.comm, parts_.particles, ParticlePart::force, time_, nullptr,
                          std::isfinite(own_sums_->potential.value()));
  if (has_next_step_begun(state_) && !are_next_due) next_clock_->restart();
}

template <class Space>
void StepPipeline<Space>::require_no_next_step() const {
  if (has_next_step_begun(state_))
    throw std::logic_error("the particles of t = " + std::to_string(time_) + " are no more: the simulation is " + to_string(state_));
}

template <class Space>
std::span<const RankSums> StepPipeline<Space>::sums() {
  if (!own_sums_) set_sums(sum_particles(parts_.space, parts_.particles));
  if (sums_.empty()) sums_ = parts_.comm.all_gather(RankSums{*own_sums_, parts_.particles.size()});
  return sums_;
}

template <class Space>
void StepPipeline<Space>::set_sums(const ParticleSums& own) {
  own_sums_ = own;
  sums_.clear();
}

template <class Space>
void StepPipeline<Space>::forget_sums() {
  own_sums_.reset();
  sums_.clear();
}

template <class Space>
Space& StepPipeline<Space>::space() {
  take_kicks();
  return parts_.space;
}

template <class Space>
Particles<Space>& StepPipeline<Space>::particles() {
  take_kicks();
  begin_motion();
  return parts_.particles;
}

template <class Space>
void StepPipeline<Space>::kick(double dt) {
  require_open();
  if (kick_) take_kicks();
  kick_ = dt;
}

template <class Space>
void StepPipeline<Space>::drift(double dt) {
  require_open();
  time_of_positions_ += dt;
  if (kick_ && last_kick_) {
    later_sums_.emplace(
        end_and_begin(parts_.space, parts_.particles, *last_kick_, *kick_, dt, parts_.solver.magnitudes_ahead(parts_.particles, dt)));
    last_kick_.reset();
    kick_.reset();
    return;
  }
  begin_motion();
  if (const std::optional<double> kick = std::exchange(kick_, std::nullopt))
    grove::kick_and_drift(parts_.space, parts_.particles, *kick, dt);
  else
    grove::drift(parts_.space, parts_.particles, dt);
}

template <class Space>
void StepPipeline<Space>::compute_forces(double next_drift, const MarkActive<Space>& mark) {
  particles();
  if (state_ == StepState::next_begun) {
    next_drift_ = next_drift;
    state_ = StepState::next_forces_due;
    prepare_next_forces();
    return;
  }
  evaluate_forces(next_drift, mark);
  state_ = StepState::forces_ready;
}

template <class Space>
void StepPipeline<Space>::forces_are_set(double since_beginning) {
  Particles<Space>& set = particles();
  positions_are_at(since_beginning);
  forget_sums();
  are_of_some_ = false;
  if (keeps_own_gravity(set)) keep_own_gravity(parts_.space, set, nullptr);
  set.has_acceleration = true;
  state_ = StepState::forces_ready;
}

/// An integrator goes no further than to the first forces of a step that begins before the last one's results are known.
template <class Space>
void StepPipeline<Space>::require_open() const {
  if (state_ == StepState::next_forces_due)
    throw std::logic_error(std::string("the first part of a step ends with its first forces, but an integrator continues: it is ") +
                           to_string(state_));
}

/// To be called before the particles are moved, or may be.
template <class Space>
void StepPipeline<Space>::begin_motion() {
  require_open();
  if (last_kick_) take_sums();
  if (state_ != StepState::forces_ready) return;
  clock_->begin("kick and drift");
  state_ = StepState::moving;
}

template <class Space>
void StepPipeline<Space>::take_kicks() {
  if (last_kick_) take_sums();
  if (!kick_) return;
  begin_motion();
  grove::kick(parts_.space, parts_.particles, *std::exchange(kick_, std::nullopt));
}

/// The sums over the particles at the end of a step, with its last kick if that is still due.
template <class Space>
void StepPipeline<Space>::take_sums() {
  if (last_kick_) set_sums(kick_and_sum(parts_.space, parts_.particles, *std::exchange(last_kick_, std::nullopt)));
  if (later_sums_) set_sums(later_sums_->get());
  later_sums_.reset();
}

/// The device then has work while the host waits for the results of the step before and looks at them.
template <class Space>
void StepPipeline<Space>::prepare_next_forces() {
  clock_->end();
  next_clock_->restart_after(*clock_);
  parts_.solver.prepare_ahead(parts_.particles, *next_clock_, next_drift_);
  next_clock_->end();
}

template <class Space>
void StepPipeline<Space>::evaluate_forces(double next_drift, const MarkActive<Space>& mark) {
  Space& space = parts_.space;
  Particles<Space>& particles = parts_.particles;
  space.restart_most_bytes_held();
  forget_sums();
  const bool keeps_gravity = keeps_own_gravity(particles), has_external = !parts_.external.empty();
  if (mark && !(keeps_gravity && particles.has_acceleration))
    throw std::logic_error("forces on some particles need the own gravity of all");
  if (keeps_gravity && particles.has_acceleration && (has_external || are_of_some_)) show_own_gravity(space, particles);
  are_of_some_ = mark != nullptr;
  const std::uint8_t* active = nullptr;
  try {
    parts_.solver.prepare(particles, *clock_, next_drift, mark ? Targets::some : Targets::all);
    if (mark) active = mark(space, particles);
    parts_.solver.forces(particles, active, *clock_, [this] { do_host_work(); });
  } catch (const PositionsNotFinite&) {
    // Says which particle it is.
    require_finite(space, parts_.comm, particles, ParticlePart::motion, time_, clock_.get());
    throw;
  }
  // The ranks may have waited for each other.
  if (keeps_gravity || has_external) clock_->begin("walk");
  if (keeps_gravity) {
    keep_own_gravity(space, particles, active);
    particles.has_acceleration = true;
  }
  if (has_external) {
    parts_.external.set_time(time_of_positions_);
    parts_.comm.agree([&] { parts_.external.add(space, particles.position.view(), particles.acceleration.data(), active); });
  }
  bytes_held_ = space.most_bytes_held();
  most_bytes_held_ = std::max(most_bytes_held_, bytes_held_);
}

/// What the host has to do besides, once.
template <class Space>
void StepPipeline<Space>::do_host_work() {
  if (!host_work_) return;
  std::exchange(host_work_, nullptr)();
  begin_activity("walk");
}

template class StepPipeline<BackEnd>;

}  // namespace grove
