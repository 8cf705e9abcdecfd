#include "src/run/run_loop.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "src/run/stop_signals.hpp"

namespace grove {

namespace {

double wall_clock_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

RunLoop::RunLoop(Simulation& simulation, const Communicator& comm, const StepSchedule& schedule, Observers observers)
    : simulation_(simulation), comm_(comm), schedule_(schedule), observers_(std::move(observers)) {}

RunReport RunLoop::run(ParticleSet particles) {
  const StopSignals signals;
  began_s_ = stepping_began_s_ = wall_clock_s();
  StepTiming timing = timed([&] { simulation_.start(particles, schedule_.time(0)); });
  particles = {};
  report_.start = timing;
  measure_energy();
  report_.first = report_.last;
  for (const auto& observer : observers_) observe(*observer, state_after(0, timing));

  stepping_began_s_ = wall_clock_s();
  for (std::uint64_t step = 1; step <= schedule_.steps() && report_.signal == 0; ++step) {
    timing = timed([&] { simulation_.step_to(schedule_.time(step), schedule_.dt()); });
    accumulate(report_.steps_total, timing);
    report_.steps = step;
    measure_energy();
    for (const auto& observer : observers_) observe(*observer, state_after(step, timing));
    // Ranks hear of a signal, and of a failure beside the steps, at different times: all stop after the same step.
    const auto has_failed = [](const auto& observer) { return observer->has_failed(); };
    std::array<int, 2> news{StopSignals::received(), std::any_of(observers_.begin(), observers_.end(), has_failed) ? 1 : 0};
    comm_.max(std::span<int>(news));
    report_.signal = news[0];
    if (news[1] != 0) finish_observers();
  }
  if (report_.signal != 0) observe_stop(timing);
  finish_observers();
  for (const auto& observer : observers_) {
    report_.writing_s += observer->writing_s();
    if (const std::string text = observer->written(); !text.empty()) report_.written.push_back(text);
    if (const std::string file = observer->last_state(); !file.empty()) report_.last_state = file;
  }
  observers_.clear();
  report_.wall_s = wall_clock_s() - began_s_;
  return report_;
}

StepTiming RunLoop::timed(const std::function<void()>& work) {
  const double began = wall_clock_s();
  work();
  return summarise_phases(simulation_.phase_times(), wall_clock_s() - began, comm_);
}

RunState RunLoop::state_after(std::uint64_t step, const StepTiming& timing) const {
  return {step, simulation_.time(), timing, report_.last, wall_clock_s() - stepping_began_s_, step == schedule_.steps()};
}

void RunLoop::measure_energy() {
  report_.last = energy_.state(simulation_.diagnostics());
  report_.time = simulation_.time();
  report_.largest_energy_error = std::max(report_.largest_energy_error, std::abs(report_.last.relative_error));
}

void RunLoop::observe(Observer& observer, const RunState& state) {
  if (!observer.due(state)) return;
  const double began = wall_clock_s();
  observer.observe(state);
  if (observer.is_output()) report_.output_s += wall_clock_s() - began;
}

void RunLoop::finish_observers() {
  const double began = wall_clock_s();
  for (const auto& observer : observers_) observer->finish();
  report_.output_s += wall_clock_s() - began;
}

void RunLoop::observe_stop(const StepTiming& timing) {
  const RunState seen = state_after(report_.steps, timing);
  RunState last = seen;
  last.is_last = true;
  for (const auto& observer : observers_)
    if (!observer->due(seen)) observe(*observer, last);
}

}  // namespace grove
