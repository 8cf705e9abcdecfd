#include "src/run/run_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "src/run/stop_signals.hpp"

namespace grove {

namespace {

double wall_clock_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

RunLoop::RunLoop(Simulation& simulation, const Communicator& comm, const StepSchedule& schedule, RunOutputs outputs)
    : simulation_(simulation), comm_(comm), schedule_(schedule), outputs_(std::move(outputs)) {}

RunReport RunLoop::run(ParticleSet particles) {
  const StopSignals signals;
  began_s_ = wall_clock_s();
  report_.start = timed([&] { simulation_.start(particles, schedule_.time(0)); });
  particles = {};
  record(0, report_.start);
  report_.first = report_.last;
  write_snapshot(0);

  stepping_began_s_ = wall_clock_s();
  bool written = true;
  for (std::uint64_t step = 1; step <= schedule_.steps() && report_.signal == 0; ++step) {
    const StepTiming timing = timed([&] { simulation_.step(schedule_.dt()); });
    accumulate(report_.steps_total, timing);
    report_.steps = step;
    record(step, timing);
    written = schedule_.snapshot_due(step);
    if (written) write_snapshot(step);
    show_progress(step, timing.seconds);
    // Ranks hear of a signal at different times: all stop after the same step.
    report_.signal = comm_.max(StopSignals::received());
  }
  if (!written) write_snapshot(report_.steps);
  if (outputs_.progress) outputs_.progress->finish();
  report_.wall_s = wall_clock_s() - began_s_;
  return report_;
}

StepTiming RunLoop::timed(const std::function<void()>& work) {
  const double began = wall_clock_s();
  work();
  return summarise_phases(simulation_.phase_times(), wall_clock_s() - began, comm_);
}

void RunLoop::record(std::uint64_t step, const StepTiming& timing) {
  Diagnostics sums = simulation_.diagnostics();
  sums.time = schedule_.time(step);
  report_.time = sums.time;
  report_.last = energy_.state(sums);
  report_.largest_energy_error = std::max(report_.largest_energy_error, std::abs(report_.last.relative_error));
  comm_.agree([&] {
    const double began = wall_clock_s();
    if (outputs_.energy) outputs_.energy->add(report_.last);
    if (outputs_.timings) outputs_.timings->add(step, sums.time, sums.particle_count, timing);
    report_.output_s += wall_clock_s() - began;
  });
}

void RunLoop::write_snapshot(std::uint64_t step) {
  if (!outputs_.write_snapshot) return;
  const double began = wall_clock_s();
  outputs_.write_snapshot(report_.snapshots, schedule_.time(step));
  ++report_.snapshots;
  report_.output_s += wall_clock_s() - began;
}

void RunLoop::show_progress(std::uint64_t step, double step_s) {
  if (!outputs_.progress) return;
  outputs_.progress->update({step, schedule_.time(step), wall_clock_s() - stepping_began_s_, step_s, report_.last.sums.particle_count});
}

}  // namespace grove
