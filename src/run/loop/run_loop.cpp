#include "src/run/loop/run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <utility>

#include "kernels/base/activity.hpp"
#include "src/integrators/rung_work.hpp"
#include "src/process/stop_signals.hpp"
#include "src/process/wall_clock.hpp"
#include "src/run/files/not_finite_list.hpp"
#include "src/run/loop/run_summary.hpp"
#include "src/simulation/require_finite.hpp"

namespace grove {

namespace {

/// A run stops one step later where the next one has begun. Longer steps are not worth the 50 us that an overlap saves
/// (docs/development/constants.md).
constexpr double longest_overlap_s = 0.2;

/// Relative. A heavy particle among light ones has a potential energy next to which this is not small for them.
constexpr double rounding_of_potential = 1e-6;

}  // namespace

RunLoop::RunLoop(Simulation& simulation, const Communicator& comm, const StepSchedule& schedule, Observers observers, RunControls controls)
    : simulation_(simulation), comm_(comm), schedule_(schedule), observers_(std::move(observers)), controls_(std::move(controls)) {}

RunReport RunLoop::run(ParticleSet particles, const RestartPoint& from) {
  const StopSignals signals;
  began_s_ = stepping_began_s_ = timed_until_s_ = wall_clock_s();
  timing_ = report_.start = begin(std::move(particles), from);
  if (!from.exists()) {
    for (const auto& observer : observers_) observe(*observer, state_after(0, timing_));
    if (const std::string text = forecast(timing_.seconds, controls_.forces_a_step, schedule_); !text.empty()) controls_.say(text);
    if (controls_.checkpoints) write_checkpoint(false);
  }
  stepping_began_s_ = turn_began_s_ = timed_until_s_ = wall_clock_s();
  output_since_s_ = 0;
  try {
    for (std::uint64_t step = from.step + 1; step <= schedule_.steps() && report_.stop == StopCause::none; ++step) {
      take_step(step);
      fulfil(collect_requests());
      turn_began_s_ = wall_clock_s();
    }
    end();
  } catch (const AgreedError&) {
    // All ranks are here. The next step may have begun.
    simulation_.end_messages();
    throw;
  }
  begin_activity(nullptr);
  return report_;
}

/// Sets the simulation and the energies to the state from which the first step begins.
StepTiming RunLoop::begin(ParticleSet particles, const RestartPoint& from) {
  report_.steps = report_.first_step = from.step;
  const SavedState& state = from.state;
  if (from.exists()) {
    report_.kept = {from.file, from.step, schedule_.time(from.step)};
    if (state.has(saved_energies)) {
      const SavedState::Numbers& energies = state.numbers(saved_energies, 5);
      first_energies_ = {energies[0], energies[1], energies[2]};
      report_.largest_energy_error = energies[3];
      report_.largest_own_error = report_.largest_error_of_steps = energies[4];
    }
    if (state.has(saved_energies_after_change)) {
      const SavedState::Numbers& energies = state.numbers(saved_energies_after_change, 4);
      energies_after_change_ = {energies[0], energies[1], energies[2]};
      report_.largest_error_of_steps = energies[3];
    }
  }
  const auto set_state = [&] {
    if (from.is_checkpoint && !from.energy_jumps)
      simulation_.resume(std::move(particles), state);
    else
      simulation_.start(std::move(particles), schedule_.time(from.step));
  };
  StepTiming timing = timed([&] { with_list_of_not_finite(set_state, from.step); });
  measure_energy();
  if (from.energy_jumps) {
    energies_after_change_ = first_energies_of(report_.last.sums);
    report_.largest_error_of_steps = 0;
    measure_error_of_steps();
  }
  report_.first_energies = *first_energies_;
  return timing;
}

void RunLoop::take_step(std::uint64_t step) {
  begin_step_of_activity(step);
  // The observers look at the state after the step before while the device works.
  StepOverlap overlap{.host_work = [this] { observe_state(); }};
  if (may_overlap_with_next(step)) overlap.next_dt = schedule_.dt();
  timing_ = timed([&] {
    try {
      with_list_of_not_finite([&] { simulation_.step_to(schedule_.time(step), schedule_.dt(), overlap); }, step);
    } catch (const std::exception& error) {
      observe_state_before_error();
      const auto* const agreed = dynamic_cast<const AgreedError*>(&error);
      // Others are not of this step alone: a full disk, a lost device.
      const bool is_data_error = agreed && agreed->exit_code() == exit_code::data;
      if (!is_data_error) throw;
      throw AgreedError(
          fmt::format("step {} of {}, from t = {}: {}", step, schedule_.steps(), schedule_.text(schedule_.time(step - 1)), error.what()),
          agreed->exit_code());
    }
    observe_state();
  });
  accumulate(report_.steps_total, timing_);
  report_.steps = step;
  if (const std::string choice = simulation_.choice_of_steps(); choice != choice_said_)
    controls_.say("\nfrom step " + std::to_string(step + 1) + " on: " + choice + "\n");
  choice_said_ = simulation_.choice_of_steps();
  measure_energy();
  unseen_.emplace(state_after(step, timing_));
  if (simulation_.is_synchronised()) observe_state();
}

/// What keeps them from it is not what ends the run.
void RunLoop::observe_state_before_error() {
  try {
    observe_state();
  } catch (const std::exception& error) {
    controls_.say(fmt::format("\nnote: of the results after step {}, {}\n", report_.steps, error.what()));
  }
}

/// The observers look at the state after the last step, once.
void RunLoop::observe_state() {
  if (!unseen_) return;
  const RunState state = *unseen_;
  unseen_.reset();
  for (const auto& observer : observers_) observe(*observer, state);
}

/// Whether the next step may begin before the results of this one are known: nobody will look at the particles between the two. A run that
/// is then asked to stop does so a step later, so steps must be short.
bool RunLoop::may_overlap_with_next(std::uint64_t step) const {
  if (needs_next_state_ || step == schedule_.steps() || timing_.seconds > longest_overlap_s) return false;
  const RunState then{step, schedule_.time(step), timing_, report_.last};
  return std::none_of(observers_.begin(), observers_.end(), [&](const auto& o) { return o->looks_at_particles() && o->due(then); });
}

/// Ranks learn of signals, files, failed observers and the time at different moments: all act on them after the same step.
RunLoop::Requests RunLoop::collect_requests() {
  begin_activity("requests");
  const auto has_failed = [](const auto& observer) { return observer->has_failed(); };
  Requests found{};
  found[stop_signal] = StopSignals::received();
  found[stop_cause] = static_cast<int>(found[stop_signal] != 0 ? StopCause::signal : StopCause::none);
  found[observer_failed] = std::any_of(observers_.begin(), observers_.end(), has_failed) ? 1 : 0;
  longest_turn_s_ = std::max(longest_turn_s_, wall_clock_s() - turn_began_s_);
  if (comm_.is_root()) {
    const double checkpoint_s = controls_.checkpoints ? controls_.checkpoints->longest_s() : 0;
    const RunRequests::Answer answer =
        controls_.requests ? controls_.requests->look(2 * (longest_turn_s_ + checkpoint_s)) : RunRequests::Answer{};
    if (controls_.requests)
      if (const std::string advice = controls_.requests->advice(longest_turn_s_, checkpoint_s); !advice.empty())
        controls_.say("\nnote: " + advice + "\n");
    if (answer.checkpoint && !controls_.checkpoints) {
      controls_.requests->settle({StopCause::none, true});
      controls_.say(
          "\nnote: a checkpoint was asked for, but this run writes none (output.checkpoints = \"no\" or output.snapshots = \"none\")\n");
    }
    found[stop_cause] = std::max(found[stop_cause], static_cast<int>(answer.stop));
    found[checkpoint_due] = controls_.checkpoints && controls_.checkpoints->due(report_.steps) ? 1 : 0;
    found[checkpoint_asked_for] = controls_.checkpoints && answer.checkpoint ? 1 : 0;
    found[directory_lost] = answer.is_lost ? 1 : 0;
    found[checkpoint_due_next] = controls_.checkpoints && controls_.checkpoints->due(report_.steps + 1) ? 1 : 0;
  }
  comm_.max(std::span<int>(found));
  return found;
}

void RunLoop::fulfil(const Requests& requests) {
  // Otherwise the observers would never see it.
  if (requests[observer_failed] != 0 || requests[directory_lost] != 0) observe_state();
  if (requests[observer_failed] != 0) finish_observers();
  if (requests[directory_lost] != 0) {
    finish_observers();
    throw AgreedError(
        fmt::format("{}: the output directory was removed or replaced during the run, which would continue in two places; it ends "
                    "after step {}",
                    controls_.directory ? controls_.directory->path() : "", report_.steps),
        exit_code::system);
  }
  const auto cause = static_cast<StopCause>(requests[stop_cause]);
  const bool stops = cause != StopCause::none, is_asked_for = requests[checkpoint_asked_for] != 0;
  const bool needs_state = stops || requests[checkpoint_due] != 0 || is_asked_for;
  // Where the next step has begun, the state after this one cannot be had: the request is collected once more after the next step.
  const bool is_too_late = needs_state && !simulation_.is_synchronised();
  needs_next_state_ = is_too_late || requests[checkpoint_due_next] != 0;
  if (is_too_late) return;
  report_.stop = cause;
  report_.signal = requests[stop_signal];
  if (stops && !controls_.checkpoints) observe_stop();
  if (controls_.checkpoints && needs_state) write_checkpoint(stops);
  if (is_asked_for && controls_.checkpoints->has(report_.steps))
    controls_.say(fmt::format("\ncheckpoint after step {}, as asked for: {}\n", report_.steps, controls_.checkpoints->last()));
  if (controls_.requests && comm_.is_root()) controls_.requests->settle({cause, is_asked_for});
}

/// The state from which a run continues. `is_needed`: a run that stops has nothing without it. Between two steps, with all that was asked
/// for on the disk.
void RunLoop::write_checkpoint(bool is_needed) {
  finish_observers();
  const double began = wall_clock_s();
  begin_activity("checkpoint");
  SavedState state;
  state.put(saved_energies, SavedState::Numbers{first_energies_->total, first_energies_->own, first_energies_->own_scale,
                                                report_.largest_energy_error, report_.largest_own_error});
  if (energies_after_change_)
    state.put(saved_energies_after_change, SavedState::Numbers{energies_after_change_->total, energies_after_change_->own,
                                                               energies_after_change_->own_scale, report_.largest_error_of_steps});
  state.put_number(saved_schedule_begin, schedule_.begin());
  for (const auto& observer : observers_) observer->save(state);
  controls_.checkpoints->write(simulation_, std::move(state), report_.steps, is_needed);
  count_output(began);
}

void RunLoop::end() {
  finish_observers();
  if (controls_.checkpoints) {
    // So that the run can be extended.
    if (!controls_.checkpoints->has(report_.steps) && report_.steps > report_.first_step) write_checkpoint(false);
    report_.checkpoints = controls_.checkpoints->count();
    report_.checkpoints_s = controls_.checkpoints->seconds();
    report_.checkpoint = controls_.checkpoints->last();
    note_kept(controls_.checkpoints->kept_state());
  }
  for (const auto& observer : observers_) {
    report_.writing_s += observer->writing_s();
    if (const std::string text = observer->written(); !text.empty()) report_.written.push_back(text);
    note_kept(observer->kept_state());
  }
  observers_.clear();
  report_.ranks = comm_.size();
  report_.most_bytes_held = comm_.max(simulation_.most_bytes_held());
  report_.wall_s = wall_clock_s() - began_s_;
}

void RunLoop::note_kept(const KeptState& state) {
  if (!state.file.empty() && (report_.kept.file.empty() || state.step >= report_.kept.step)) report_.kept = state;
}

/// All that was done since the end of the last one counts, but output.
StepTiming RunLoop::timed(const std::function<void()>& work) {
  begin_activity("step");  // until its first phase
  work();
  begin_activity("timings");
  const std::vector<PhaseTime> phases = simulation_.phase_times();
  const double until = wall_clock_s(), seconds = until - timed_until_s_ - output_since_s_;
  timed_until_s_ = until;
  output_since_s_ = 0;
  StepTiming timing = summarise_phases(phases, seconds, comm_);
  timing.rungs = summarise_rungs(simulation_.rung_work(), comm_);
  return timing;
}

void RunLoop::count_output(double began_s) { output_since_s_ += wall_clock_s() - began_s; }

/// What ends the run then names the list of the particles, too.
void RunLoop::with_list_of_not_finite(const std::function<void()>& work, std::uint64_t step) {
  try {
    work();
  } catch (const NotFiniteError& error) {
    if (!controls_.directory) throw;
    throw AgreedError(fmt::format("{}; {}", error.what(), list_not_finite(simulation_, comm_, *controls_.directory, step)),
                      error.exit_code());
  }
}

RunState RunLoop::state_after(std::uint64_t step, const StepTiming& timing) const {
  return {step, simulation_.time(), timing, report_.last, wall_clock_s() - stepping_began_s_, step == schedule_.steps()};
}

void RunLoop::measure_energy() {
  begin_activity("energies");
  const Diagnostics sums = simulation_.diagnostics();
  const double energy = sums.total_energy();
  if (!first_energies_) first_energies_ = first_energies_of(sums);
  report_.last = {sums, relative_energy_error(energy, first_energies_->total), own_energy_error(sums, *first_energies_)};
  // The same on all ranks.
  if (!std::isfinite(energy))
    throw AgreedError(
        fmt::format("the energy after step {} is not finite (kinetic {:.3g}, potential {:.3g}): velocities or masses are too large "
                    "for numbers of 64 bits",
                    report_.steps, sums.kinetic, sums.potential),
        exit_code::data);
  report_.time = simulation_.time();
  measure_error_of_steps();
  report_.largest_energy_error = std::max(report_.largest_energy_error, std::abs(report_.last.relative_error));
  report_.largest_own_error = std::max(report_.largest_own_error, std::abs(report_.last.own_error));
}

/// Without what a change of settings has done to the energy.
void RunLoop::measure_error_of_steps() {
  const FirstEnergies reference = energies_after_change_.value_or(*first_energies_);
  const Diagnostics& sums = report_.last.sums;
  report_.error_of_steps = own_energy_error(sums, reference);
  const bool is_above_rounding =
      sums.change_of_each || std::abs(sums.total_energy() - reference.total) > rounding_of_potential * std::abs(sums.potential);
  if (is_above_rounding) report_.largest_error_of_steps = std::max(report_.largest_error_of_steps, std::abs(report_.error_of_steps));
  report_.energy_has_jumped = energies_after_change_.has_value();
}

void RunLoop::observe(Observer& observer, const RunState& state) {
  if (!observer.due(state)) return;
  const double began = wall_clock_s();
  begin_activity("output");
  observer.observe(state);
  if (!observer.is_output()) return;
  report_.output_s += wall_clock_s() - began;
  count_output(began);
}

void RunLoop::finish_observers() {
  const double began = wall_clock_s();
  for (const auto& observer : observers_) {
    begin_activity("output");
    observer->finish();
  }
  report_.output_s += wall_clock_s() - began;
  count_output(began);
}

/// Without a checkpoint, the last state is that of the observers.
void RunLoop::observe_stop() {
  const RunState seen = state_after(report_.steps, timing_);
  RunState last = seen;
  last.is_last = true;
  for (const auto& observer : observers_)
    if (!observer->due(seen)) observe(*observer, last);
}

}  // namespace grove
