// Runs of a simulation that only counts its steps, with what a run loop has around it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/files/partial_file.hpp"
#include "io/snapshots/checkpoint_file.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/loop/run_loop.hpp"
#include "src/run/observers/energies.hpp"
#include "src/run/observers/timings.hpp"
#include "tests/support/idle_simulation.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove::tests {

/// Counts what it is asked to do; its energy is -1 + 0.01 * (number of steps).
class FakeSimulation : public IdleSimulation {
 public:
  int steps = 0;
  std::function<void()> on_step = [] {};
  bool overlaps = false;             ///< begins the next step where it may
  bool does_host_work = true;        ///< during a step that had begun, as on a GPU; else the loop has to
  std::vector<int> overlapped{};     ///< the steps after which the next one had begun
  std::vector<double> next_steps{};  ///< lengths of the steps that might begin

  bool is_synchronised() const override { return overlapped.empty() || overlapped.back() != steps; }
  void step_to(double time_after, double dt, const StepOverlap& overlap) override {
    const bool had_begun = !is_synchronised();
    if (overlap.host_work && !had_begun) overlap.host_work();
    IdleSimulation::step_to(time_after, dt, overlap);
    ++steps;
    if (overlap.next_dt) next_steps.push_back(*overlap.next_dt);
    if (overlaps && overlap.next_dt) overlapped.push_back(steps);
    if (overlap.host_work && had_begun && does_host_work) overlap.host_work();
    on_step();
  }
  void save(SavedState& state) const override {
    if (!is_synchronised()) throw std::logic_error("asked for a state that is no more");
    state.put_count("fake.steps", static_cast<std::uint64_t>(steps));
    state.put_number("simulation.time", time());
  }
  void resume(ParticleSet, const SavedState& state) override { steps = static_cast<int>(state.count("fake.steps")); }
  std::unique_ptr<ParticleColumns> columns() override { return std::make_unique<ColumnsOfSet>(set); }
  Diagnostics diagnostics() override {
    Diagnostics sums;
    sums.time = time();
    sums.particle_count = 10;
    sums.mass = 1;
    sums.own_potential = sums.potential = -2;
    sums.own_kinetic = sums.kinetic = 1 + 0.01 * steps;
    return sums;
  }
  std::vector<PhaseTime> phase_times() const override {
    std::vector<PhaseTime> phases{{"walk local", 0.5}, {"wait", 0.25}};
    if (steps > 1) phases.push_back({"rebuild", 0.125});
    return phases;
  }

  ParticleSet set = one_particle();

 private:
  /// With all fields, for checkpoints.
  static ParticleSet one_particle() {
    ParticleSet set;
    for (const ParticleField& field : set.fields->rows()) set.resize(field, 1);
    return set;
  }
};

/// Notes the states that a schedule wants snapshots of.
class StateObserver : public Observer {
 public:
  using States = std::vector<std::pair<std::uint64_t, double>>;
  StateObserver(const StepSchedule& schedule, States& states) : schedule_(schedule), states_(states) {}
  bool due(const RunState& state) const override { return state.is_last || schedule_.snapshot_due(state.step); }
  void observe(const RunState& state) override {
    kept_ = {"state " + std::to_string(states_.size()), state.step, state.time};
    states_.emplace_back(states_.size(), state.time);
  }
  std::string written() const override { return std::to_string(states_.size()) + " states"; }
  KeptState kept_state() const override { return kept_; }

 private:
  const StepSchedule& schedule_;
  States& states_;
  KeptState kept_;
};

class RunLoopTest : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  FakeSimulation simulation;
  StateObserver::States snapshots;

  RunReport run(const StepSchedule& schedule, bool with_snapshots = true) {
    Observers observers;
    observers.push_back(std::make_unique<EnergyObserver>(comm, directory.file("energy.csv")));
    observers.push_back(std::make_unique<TimingsObserver>(comm, directory.file("timings.csv")));
    if (with_snapshots) observers.push_back(std::make_unique<StateObserver>(schedule, snapshots));
    return RunLoop(simulation, comm, schedule, std::move(observers)).run({});
  }

  /// The names of the columns first.
  std::vector<std::string> lines_of(const std::string& name) const {
    std::istringstream text(text_of_file(directory.file(name)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
};

/// A schedule, checkpoints and requests for runs of the fake simulation.
class ControlledRunTest : public RunLoopTest {
 protected:
  Config config;
  OutputDirectory output{directory.path()};
  Checkpoints checkpoints{config, output, comm};
  RunRequests requests{output, TimeLimit(0, "")};
  std::vector<std::string> said;
  std::uint64_t forces_a_step = 0;

  ControlledRunTest() { config.output.checkpoint_minutes = 0; }

  RunReport run_controlled(const StepSchedule& schedule, const RestartPoint& from = {}, bool with_checkpoints = true) {
    Observers observers;
    const auto rows = [&](const char* name) {
      return LogObserver::Rows{name, from.exists() ? from.state.count(name) : 0, config.output.on_error == "continue"};
    };
    observers.push_back(std::make_unique<EnergyObserver>(comm, output.energy(), rows(saved_energy_rows)));
    observers.push_back(std::make_unique<TimingsObserver>(comm, output.timings(), rows(saved_timing_rows)));
    observers.push_back(std::make_unique<StateObserver>(schedule, snapshots));
    const RunControls controls{with_checkpoints ? &checkpoints : nullptr, &requests, &output,
                               [&](const std::string& text) { said.push_back(text); }, forces_a_step};
    return RunLoop(simulation, comm, schedule, std::move(observers), controls).run({}, from);
  }
  SavedState state_in(const std::string& file) const {
    comm.barrier();
    SavedState state = read_checkpoint_state(file);
    comm.barrier();
    return state;
  }
};

}  // namespace grove::tests
