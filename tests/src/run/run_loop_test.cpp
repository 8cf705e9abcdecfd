#include "src/run/run_loop.hpp"
#include "src/simulation/finite_check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "io/checkpoint_file.hpp"
#include "io/partial_file.hpp"
#include "kernels/space/error.hpp"
#include "src/config/config_print.hpp"
#include "src/run/not_finite_list.hpp"
#include "src/run/observers/energies.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/observers/timings.hpp"
#include "src/run/output_directory.hpp"
#include "src/run/run_summary.hpp"
#include "src/text/text_table.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/idle_simulation.hpp"
#include "tests/support/on_all_ranks.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

/// Counts what it is asked to do; its energy is -1 + 0.01 * (number of steps).
class FakeSimulation : public tests::IdleSimulation {
 public:
  int steps = 0;
  std::function<void()> on_step = [] {};
  bool goes_ahead = false;          ///< where the next step is announced
  bool does_meanwhile = true;       ///< what it is given to do; else the loop has to
  std::vector<int> steps_ahead{};   ///< the steps after which the next one had begun
  std::vector<double> announced{};  ///< lengths of steps

  void announce_step(double dt) override { announced.push_back(dt); }
  bool is_ahead() const override { return !steps_ahead.empty() && steps_ahead.back() == steps; }
  void step_to(double time_after, double dt) override {
    IdleSimulation::step_to(time_after, dt);
    const bool is_announced = announced.size() > announcements_used_;
    announcements_used_ = announced.size();
    ++steps;
    if (goes_ahead && is_announced) steps_ahead.push_back(steps);
    if (does_meanwhile) std::exchange(meanwhile_, [] {})();
    on_step();
  }
  /// As a simulation on a GPU.
  void do_meanwhile(const std::function<void()>& work) override { is_ahead() ? void(meanwhile_ = work) : work(); }
  void save(SavedState& state) const override {
    if (is_ahead()) throw std::logic_error("asked for a state that is no more");
    state.put_count("fake.steps", static_cast<std::uint64_t>(steps));
    state.put_number("simulation.time", time());
  }
  void resume(ParticleSet, const SavedState& state) override { steps = static_cast<int>(state.count("fake.steps")); }
  std::unique_ptr<ParticleColumns> columns() override { return std::make_unique<ColumnsOfSet>(set); }
  Diagnostics diagnostics() override {
    Diagnostics sums;
    sums.time = time();
    sums.particle_count = 10;
    sums.potential = -2;
    sums.kinetic = 1 + 0.01 * steps;
    return sums;
  }
  std::vector<PhaseTime> phase_times() const override {
    std::vector<PhaseTime> phases{{"walk local", 0.5}, {"wait", 0.25}};
    if (steps > 1) phases.push_back({"rebuild", 0.125});
    return phases;
  }

  ParticleSet set = one_particle();

 private:
  std::size_t announcements_used_ = 0;
  std::function<void()> meanwhile_ = [] {};

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

TEST_F(RunLoopTest, TakesEveryStepAndWritesEverySnapshot) {
  const RunReport report = run({1, 3, 0.5, 1});
  EXPECT_EQ(simulation.steps, 4);
  EXPECT_EQ(simulation.time(), 3.0);
  EXPECT_EQ(snapshots, (std::vector<std::pair<std::uint64_t, double>>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(report.steps, 4u);
  EXPECT_EQ(report.last_state, "state 2");
  EXPECT_EQ(report.time, 3.0);
  EXPECT_EQ(report.signal, 0);
  EXPECT_NEAR(report.largest_energy_error, 0.04, 1e-12);
}

TEST_F(RunLoopTest, LogsTheEnergyOfEveryStep) {
  run({0, 1, 0.25, 0});
  if (!comm.is_root()) return;
  const auto lines = lines_of("energy.csv");
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0].rfind("time,kinetic,potential,total,relative_energy_error,momentum_x", 0), 0u);
  EXPECT_EQ(lines[1], "0,1,-2,-1,0,0,0,0,0,0,0,0,0,0,1");
  EXPECT_EQ(lines[5].rfind("1,1.04,-2,-0.95999999999999996,0.040000000000000036", 0), 0u) << lines[5];
}

TEST_F(RunLoopTest, ALogThatWasBegunLaterHasTheFirstEnergyToo) {
  run({0, 1, 0.25, 0});
  if (!comm.is_root()) return;
  EXPECT_EQ(first_energy_in(directory.file("energy.csv")), -1);
  std::string text = text_of_file(directory.file("energy.csv"));
  const std::size_t first = text.find('\n') + 1;
  text.erase(first, text.find('\n', first) + 1 - first);
  std::ofstream(directory.file("later.csv")) << text;
  EXPECT_NEAR(first_energy_in(directory.file("later.csv")).value_or(0), -1, 1e-15);
}

TEST_F(RunLoopTest, LogsEveryPhaseAlsoOneThatComesLater) {
  run({0, 1, 0.5, 0});
  if (!comm.is_root()) return;
  const auto lines = lines_of("timings.csv");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(
      lines[0],
      "step,time,walk_local_mean_s,walk_local_max_s,wait_mean_s,wait_max_s,other_mean_s,other_max_s,total_s,imbalance,particles_per_s");
  EXPECT_EQ(lines[1].rfind("0,0,0.5,0.5,0.25,0.25,0,0,", 0), 0u) << lines[1];
  EXPECT_EQ(lines[3].rfind("2,1,0.5,0.5,0.25,0.25,0.125,0.125,", 0), 0u) << lines[3];
}

TEST_F(RunLoopTest, StopsAllRanksAfterTheStepInWhichOneReceivedASignal) {
  simulation.on_step = [&] {
    if (simulation.steps == 3 && comm.rank() == comm.size() - 1) std::raise(SIGTERM);
  };
  const RunReport report = run({0, 100, 1, 50});
  EXPECT_EQ(report.signal, SIGTERM);
  EXPECT_EQ(simulation.steps, 3);
  EXPECT_EQ(report.time, 3.0);
  EXPECT_EQ(snapshots, (std::vector<std::pair<std::uint64_t, double>>{{0, 0}, {1, 3}}));
  if (comm.is_root()) {
    EXPECT_EQ(lines_of("energy.csv").size(), 5u);
  }
}

TEST_F(RunLoopTest, WritesTheLastStateOnceWhenASignalMeetsASnapshot) {
  simulation.on_step = [&] {
    if (simulation.steps == 2) std::raise(SIGINT);
  };
  EXPECT_EQ(run({0, 4, 1, 2}).signal, SIGINT);
  EXPECT_EQ(snapshots.size(), 2u);
}

TEST_F(RunLoopTest, WritesOneSnapshotWhenThereIsNoStep) {
  const RunReport report = run({2, 2, 1, 1});
  EXPECT_EQ(snapshots.size(), 1u);
  EXPECT_EQ(report.steps, 0u);
}

TEST_F(RunLoopTest, KeepsNoStateWhereNoneIsAskedFor) {
  Config config;
  config.output.snapshots = "none";
  const StepSchedule schedule(0, 1, 0.5, 0.5);
  const OutputDirectory output("out");
  const ObserverSetup setup{config, output, schedule, ""};
  const RunReport report = run(schedule, false);
  HostSpace space;
  const Particles<HostSpace> particles(space);
  const SnapshotObserver<HostSpace> observer({space, particles, comm, simulation, setup});
  EXPECT_FALSE(observer.due({2, 1, report.start, report.last, 0, true}));
  EXPECT_EQ(observer.kept_state().file, "");
  EXPECT_NE(observer.written().find("no snapshots"), std::string::npos);
  EXPECT_EQ(report.last_state, "");
}

TEST_F(RunLoopTest, SummaryNamesWhatWasWritten) {
  const StepSchedule schedule(0, 1, 0.5, 0.5);
  const std::string text = run_summary(run(schedule), schedule, OutputDirectory("out"));
  for (const std::string& part : {std::string("finished: step 2 of 2, t = 1"), std::string("3 states"), directory.file("energy.csv"),
                                  std::string("out/used_parameters.toml"), std::string("relative error")})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(RunLoopTest, SummaryHasTheMemoryOfTheFullestRankForEachParticleOfAnEqualShare) {
  const StepSchedule schedule(0, 1, 0.5, 0.5);
  RunReport report = run(schedule);
  EXPECT_EQ(run_summary(report, schedule, OutputDirectory("out")).find("memory"), std::string::npos);
  report.ranks = 4;
  report.last.sums.particle_count = 3000;
  report.most_bytes_held = 150000;  // a rank has 750 particles in the mean
  const std::string text = run_summary(report, schedule, OutputDirectory("out"));
  EXPECT_NE(text.find("memory     146 KiB for the forces on the fullest rank, 200.0 bytes a particle of an equal share"), std::string::npos)
      << text;
}

TEST(PhaseStatistics, ImbalanceIsThatOfTheWalks) {
  const Communicator comm(MPI_COMM_WORLD);
  const double rank = comm.rank(), size = comm.size();
  const StepTiming timing = summarise_phases({{"walk", 1 + rank}, {"tree exchange", size - rank}}, 1 + rank, comm);
  ASSERT_EQ(timing.phases.size(), 2u);
  EXPECT_DOUBLE_EQ(timing.phases[0].mean, (1 + size) / 2);
  EXPECT_DOUBLE_EQ(timing.phases[0].max, size);
  EXPECT_DOUBLE_EQ(timing.seconds, size);
  EXPECT_DOUBLE_EQ(timing.imbalance, size / ((1 + size) / 2));
}

/// A schedule, checkpoints and requests for runs of the fake simulation.
class ControlledRunTest : public RunLoopTest {
 protected:
  Config config;
  OutputDirectory output{directory.path()};
  Checkpoints checkpoints{config, output, comm};
  RunRequests requests{output, TimeLimit(0, "")};
  std::vector<std::string> said;

  ControlledRunTest() { config.output.checkpoint_minutes = 0; }

  RunReport run_controlled(const StepSchedule& schedule, const RunBeginning& beginning = {}, bool with_checkpoints = true) {
    Observers observers;
    const auto rows = [&](const char* name) { return beginning.state ? beginning.state->count(name) : 0; };
    const bool goes_on = config.output.on_error == "continue";
    observers.push_back(std::make_unique<EnergyObserver>(comm, output.energy(), rows(saved_energy_rows), goes_on));
    observers.push_back(std::make_unique<TimingsObserver>(comm, output.timings(), rows(saved_timing_rows), goes_on));
    observers.push_back(std::make_unique<StateObserver>(schedule, snapshots));
    const RunControls controls{with_checkpoints ? &checkpoints : nullptr, &requests, &output,
                               [&](const std::string& text) { said.push_back(text); }};
    return RunLoop(simulation, comm, schedule, std::move(observers), controls).run({}, beginning);
  }
  SavedState state_in(const std::string& file) const {
    comm.barrier();
    SavedState state = read_checkpoint_state(file);
    comm.barrier();
    return state;
  }
};

TEST_F(ControlledRunTest, WritesCheckpointsByTurnsAtTheBeginningEverySoManyStepsAndAtTheEnd) {
  config.output.checkpoint_steps = 2;
  const RunReport report = run_controlled({0, 5, 1, 0});
  EXPECT_EQ(report.checkpoints, 4U) << "after steps 0, 2, 4 and 5";
  EXPECT_EQ(report.checkpoint, output.checkpoint(1));
  EXPECT_EQ(state_in(output.checkpoint(0)).count(saved_step), 4U);
  const SavedState last = state_in(output.checkpoint(1));
  EXPECT_EQ(last.count(saved_step), 5U);
  EXPECT_EQ(last.count("fake.steps"), 5U);
  EXPECT_EQ(last.count(saved_states_seen), 6U);
  EXPECT_EQ(last.text(saved_configuration), print_config(config));
  EXPECT_NEAR(last.numbers(saved_energies, 2)[0], -1, 1e-15);
  EXPECT_NEAR(last.numbers(saved_energies, 2)[1], 0.05, 1e-12);
}

TEST_F(ControlledRunTest, LetsAStepBeginAheadWhereNobodyLooksAtTheParticles) {
  simulation.goes_ahead = true;
  config.output.checkpoint_steps = 3;
  EXPECT_EQ(run_controlled({0, 4, 0.5, 2}).checkpoints, 4U) << "after steps 0, 3, 6 and 8";
  // Snapshots after 0, 4 and 8. Of the first step nothing has been asked yet.
  EXPECT_EQ(simulation.steps_ahead, (std::vector<int>{2, 5, 7}));
  EXPECT_EQ(simulation.announced, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(snapshots.size(), 3U);
}

TEST_F(ControlledRunTest, ShowsEachStateToTheObserversOnceWhereStepsBeginAhead) {
  run_controlled({0, 4, 0.5, 2});
  const auto expected = comm.is_root() ? lines_of("energy.csv") : std::vector<std::string>();
  comm.barrier();
  simulation.goes_ahead = true;
  for (const bool does_meanwhile : {true, false}) {
    simulation.does_meanwhile = does_meanwhile;
    simulation.steps = 0;
    simulation.steps_ahead.clear();
    run_controlled({0, 4, 0.5, 2});
    EXPECT_EQ(simulation.steps_ahead.size(), 5U);
    if (comm.is_root()) {
      EXPECT_EQ(lines_of("energy.csv"), expected);
      EXPECT_EQ(lines_of("timings.csv").size(), expected.size());
    }
    comm.barrier();
  }
}

TEST_F(ControlledRunTest, ShowsTheLastStateToTheObserversWhateverEndsTheRun) {
  simulation.goes_ahead = true;
  simulation.does_meanwhile = false;
  simulation.on_step = [&] {
    if (simulation.steps == 6) throw AgreedError("the device is lost", 1);
  };
  EXPECT_EQ(agreed_error_of([&] { run_controlled({0, 100, 1, 50}); }, 1, comm), "the device is lost");
  EXPECT_EQ(simulation.steps_ahead.back(), 6);
  if (comm.is_root()) {
    EXPECT_EQ(lines_of("energy.csv").size(), 7U) << "names, and the states after steps 0 to 5";
  }
  comm.barrier();
}

/// Looks at every state, slowly.
class SlowObserver : public Observer {
 public:
  explicit SlowObserver(bool is_output) : is_output_(is_output) {}
  bool due(const RunState& state) const override { return state.step > 0; }
  void observe(const RunState&) override { std::this_thread::sleep_for(std::chrono::milliseconds(40)); }
  bool is_output() const override { return is_output_; }

 private:
  bool is_output_;
};

TEST_F(ControlledRunTest, CountsAllThatAStepTakesButOutput) {
  simulation.on_step = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  for (const bool is_output : {false, true}) {
    const StepSchedule schedule(0, 5, 1, 0);
    Observers observers;
    observers.push_back(std::make_unique<SlowObserver>(is_output));
    const RunReport report = RunLoop(simulation, comm, schedule, std::move(observers)).run({});
    // What an observer takes after a step is in the time of the next one.
    const double least = 5 * 0.02 + (is_output ? 0 : 4 * 0.04);
    EXPECT_GE(report.steps_total.seconds, least);
    EXPECT_LT(report.steps_total.seconds, least + (is_output ? 0.14 : 1));
    EXPECT_GE(report.wall_s, report.steps_total.seconds);
    if (is_output) {
      EXPECT_GE(report.output_s, 5 * 0.04);
    }
  }
}

TEST_F(ControlledRunTest, StopsAStepLaterWhereThatHasBegunAhead) {
  simulation.goes_ahead = true;
  simulation.on_step = [&] {
    if (simulation.steps == 5 && comm.rank() == comm.size() - 1) std::raise(SIGTERM);
  };
  const RunReport report = run_controlled({0, 100, 1, 50});
  EXPECT_EQ(report.signal, SIGTERM);
  EXPECT_EQ(report.steps, 6U);
  EXPECT_EQ(simulation.steps_ahead, (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(state_in(report.checkpoint).count(saved_step), 6U);
}

TEST_F(ControlledRunTest, StopsWithALastSnapshotAStepLaterWithoutCheckpoints) {
  simulation.goes_ahead = true;
  simulation.on_step = [&] {
    if (simulation.steps == 5) std::raise(SIGTERM);
  };
  const RunReport report = run_controlled({0, 100, 1, 50}, {}, false);
  EXPECT_EQ(report.steps, 6U);
  EXPECT_EQ(report.last_state, "state 1");
  EXPECT_EQ(snapshots.back().second, 6.0);
}

TEST_F(ControlledRunTest, WritesNoneAfterTheSameStateTwice) {
  config.output.checkpoint_steps = 1;
  EXPECT_EQ(run_controlled({0, 3, 1, 0}).checkpoints, 4U);
}

TEST_F(ControlledRunTest, WritesThemByTheClock) {
  config.output.checkpoint_minutes = 0.01;
  simulation.on_step = [&] { std::this_thread::sleep_for(std::chrono::milliseconds(comm.is_root() ? 250 : 0)); };
  EXPECT_EQ(run_controlled({0, 6, 1, 0}).checkpoints, 3U) << "at the beginning, after 0.6 s and at the end";
}

TEST_F(ControlledRunTest, GoesOnWithEnergiesLogsAndStepsOfTheRunBefore) {
  const StepSchedule schedule(0, 6, 1, 3);
  run_controlled(schedule);
  const auto whole = comm.is_root() ? lines_of("energy.csv") : std::vector<std::string>();
  const auto timings = comm.is_root() ? lines_of("timings.csv") : std::vector<std::string>();
  simulation.steps = 0;
  comm.barrier();
  // Stopped after step 4, whose rows are in the logs already, with those of one more step.
  simulation.on_step = [&] {
    if (simulation.steps == 4) std::raise(SIGUSR1);
  };
  EXPECT_EQ(run_controlled(schedule).signal, SIGUSR1);
  simulation.on_step = [] {};
  if (comm.is_root()) std::ofstream(output.energy(), std::ios::app) << whole.back() << "\n1,2";
  const SavedState state = state_in(output.checkpoint(1));
  EXPECT_EQ(state.count(saved_step), 4U);
  simulation.steps = 0;
  const RunReport report = run_controlled(schedule, {4, &state, true});
  EXPECT_EQ(report.first_step, 4U);
  EXPECT_EQ(report.steps, 6U);
  EXPECT_EQ(simulation.steps, 6);
  EXPECT_NEAR(report.first_energy, -1, 1e-15);
  EXPECT_NEAR(report.largest_energy_error, 0.06, 1e-12);
  if (!comm.is_root()) return;
  EXPECT_EQ(lines_of("energy.csv"), whole);
  EXPECT_EQ(lines_of("timings.csv").size(), timings.size());
}

TEST_F(ControlledRunTest, TellsAJumpOfTheEnergyFromErrorsOfTheSteps) {
  EXPECT_FALSE(run_controlled({0, 4, 1, 4}).energy_has_jumped);
  const SavedState state = state_in(output.checkpoint(1));
  simulation.steps = 20;  // other settings: the energy is -0.8 now
  RunReport report = run_controlled({0, 6, 1, 6}, {4, &state, false, true});
  EXPECT_TRUE(report.energy_has_jumped);
  EXPECT_NEAR(report.last.relative_error, 0.22, 1e-12);
  EXPECT_NEAR(report.error_of_steps, 0.025, 1e-12);
  const SavedState later = state_in(report.checkpoint);
  report = run_controlled({0, 7, 1, 7}, {6, &later, true});
  EXPECT_TRUE(report.energy_has_jumped) << "also in the runs that follow";
  EXPECT_NEAR(report.error_of_steps, 0.0375, 1e-12);
}

TEST_F(ControlledRunTest, KnowsTheNewestStateOnTheDisk) {
  simulation.on_step = [&] {
    if (simulation.steps == 3) std::raise(SIGUSR1);
  };
  const StepSchedule schedule(0, 8, 1, 4);
  EXPECT_EQ(run_controlled(schedule).kept.file, output.checkpoint(1));
  const SavedState state = state_in(output.checkpoint(1));
  // Without checkpoints and snapshots, it is where the run has begun.
  config.output.checkpoints = "no";
  RunReport report = run_controlled({0, 8, 1, 4}, {3, &state, true, false, {"before", 3, 3}}, false);
  EXPECT_EQ(report.kept.file, "state 2");
  EXPECT_TRUE(is_kept(report));
  report.kept = {"before", 3, 3};
  EXPECT_FALSE(is_kept(report));
  EXPECT_NE(lost_state_text(report).find("after step 8 at t = 8, is not on the disk; the newest one that is kept is before, after step 3"),
            std::string::npos)
      << lost_state_text(report);
}

TEST_F(ControlledRunTest, StopsWithACheckpointInsteadOfALastSnapshot) {
  simulation.on_step = [&] {
    if (simulation.steps == 3 && comm.rank() == comm.size() - 1) std::raise(SIGHUP);
  };
  const RunReport report = run_controlled({0, 100, 1, 50});
  EXPECT_EQ(report.stop, StopCause::signal);
  EXPECT_EQ(report.signal, SIGHUP);
  EXPECT_EQ(report.steps, 3U);
  EXPECT_EQ(snapshots.size(), 1U) << "that of step 0 alone, as in a run without interruption";
  EXPECT_EQ(state_in(report.checkpoint).count(saved_step), 3U);
}

TEST_F(ControlledRunTest, DoesWhatFilesAskFor) {
  simulation.on_step = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (comm.is_root() && simulation.steps == 10) std::ofstream(output.checkpoint_request()) << "";
    if (comm.is_root() && simulation.steps == 100) std::ofstream(output.stop_request()) << "";
  };
  const RunReport report = run_controlled({0, 10000, 1, 10000});
  EXPECT_EQ(report.stop, StopCause::file);
  EXPECT_EQ(report.checkpoints, 3U) << "at the beginning, one that was asked for, and at the end";
  EXPECT_GE(report.steps, 100U);
  EXPECT_LE(report.steps, 200U);
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(output.checkpoint_request()));
  EXPECT_FALSE(std::filesystem::exists(output.stop_request()));
}

TEST_F(ControlledRunTest, SaysThatItHasNoCheckpointsWhereOneIsAskedFor) {
  simulation.on_step = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (comm.is_root() && simulation.steps == 3) std::ofstream(output.checkpoint_request()) << "";
  };
  const RunReport report = run_controlled({0, 60, 1, 60}, {}, false);
  EXPECT_EQ(report.steps, 60U);
  EXPECT_EQ(report.checkpoints, 0U);
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(output.checkpoint_request()));
  if (!comm.is_root()) return;
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("a checkpoint was asked for, but this run writes none"), std::string::npos) << said[0];
}

TEST_F(ControlledRunTest, StopsBeforeItsTimeIsOver) {
  simulation.on_step = [&] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  requests = RunRequests(output, TimeLimit(1.0 / 60, ""));
  const auto began = std::chrono::steady_clock::now();
  const RunReport report = run_controlled({0, 10000, 1, 10000}, {}, false);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  EXPECT_EQ(report.stop, StopCause::time_limit);
  EXPECT_EQ(report.last_state, "state 1") << "without checkpoints, the last state is a snapshot";
  EXPECT_LE(seconds, 1.0);
  EXPECT_GE(report.steps, 4U);
}

/// Steps 4 to 6 find no room for whole rows of energy.csv, and for none of timings.csv, as on a disk that is full for a while.
class FullDiskRunTest : public ControlledRunTest {
 protected:
  const IgnoreFileSizeSignal a_limit_is_an_error;
  std::unique_ptr<FileSizeLimit> limit;

  FullDiskRunTest() {
    simulation.on_step = [&] {
      comm.barrier();
      if (simulation.steps == 4) limit = std::make_unique<FileSizeLimit>(std::filesystem::file_size(output.energy()) + 10);
      if (simulation.steps == 7) limit.reset();
      comm.barrier();
    };
  }
  std::vector<std::string> times_in(const std::string& name) const {
    std::vector<std::string> times;
    for (const std::string& line : lines_of(name)) times.push_back(line.substr(0, line.find(',')));
    return times;
  }
};

TEST_F(FullDiskRunTest, EndsWithWholeRows) {
  config.output.checkpoint_steps = 0;
  const std::string message = agreed_error_of([&] { run_controlled({0, 8, 1, 0}); }, 4, comm);
  limit.reset();
  EXPECT_NE(message.find("energy.csv: cannot be written"), std::string::npos) << message;
  if (comm.is_root()) {
    EXPECT_EQ(times_in("energy.csv"), (std::vector<std::string>{"time", "0", "1", "2", "3"}));
  }
  comm.barrier();
}

TEST_F(FullDiskRunTest, GoesOnWhereThatIsAskedForAndWritesRowsAgain) {
  config.output.on_error = "continue";
  const StepSchedule schedule(0, 8, 1, 0);
  if (comm.is_root()) testing::internal::CaptureStderr();
  const RunReport report = run_controlled(schedule);
  if (comm.is_root()) {
    const std::string told = testing::internal::GetCapturedStderr();
    const std::string energy = output.energy() + ": cannot be written";
    EXPECT_NE(told.find(energy), std::string::npos) << told;
    EXPECT_EQ(told.find(energy), told.rfind(energy)) << "once: " << told;
    EXPECT_NE(told.find("the run goes on without"), std::string::npos) << told;
    const std::vector<std::string> times{"time", "0", "1", "2", "3", "7", "8"};
    EXPECT_EQ(times_in("energy.csv"), times);
    for (const std::string& line : lines_of("energy.csv")) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 14) << line;
  }
  EXPECT_EQ(report.steps, 8U);
  EXPECT_NE(run_summary(report, schedule, output).find("energy.csv; the rows of steps 4 to 6 could not be written"), std::string::npos);
  // The log has fewer rows than there were states; one of a later time is cut off, and the others stay.
  const SavedState state = state_in(report.checkpoint);
  EXPECT_EQ(state.count(saved_energy_rows), 6U);
  if (comm.is_root()) std::ofstream(output.energy(), std::ios::app) << lines_of("energy.csv").back() << "\n";
  comm.barrier();
  run_controlled({0, 9, 1, 0}, {8, &state, true});
  if (comm.is_root()) {
    EXPECT_EQ(times_in("energy.csv"), (std::vector<std::string>{"time", "0", "1", "2", "3", "7", "8", "9"}));
    EXPECT_EQ(rows_up_to(output.energy(), "time", 3.5).count, 4U);
    EXPECT_EQ(rows_up_to(output.energy(), "time", 7).count, 5U);
  }
  comm.barrier();
}

/// Ends in a step as a force that is not finite does; the particle of each rank has the rank as its id.
class NotFiniteRunTest : public ControlledRunTest {
 protected:
  static constexpr int bad_step = 3;

  NotFiniteRunTest() {
    config.output.checkpoint_steps = 2;
    simulation.set.id = {static_cast<std::uint64_t>(comm.rank())};
    simulation.on_step = [&] {
      if (simulation.steps != bad_step) return;
      simulation.set.acceleration = {1, std::nan(""), HUGE_VAL};
      throw NotFiniteError("the force on the particle with id 0 is not finite", 3);
    };
  }
  std::string message_of_run() {
    simulation.steps = 0;
    return agreed_error_of([&] { run_controlled({0, 8, 1, 0}); }, 3, comm);
  }
};

TEST_F(NotFiniteRunTest, ListsTheParticlesAndKeepsTheCheckpoints) {
  const std::string message = message_of_run();
  EXPECT_EQ(message, "the force on the particle with id 0 is not finite; " + directory.file("not_finite_step_3.csv") +
                         " lists all such particles: " + std::to_string(comm.size()));
  EXPECT_EQ(state_in(output.checkpoint(1)).count(saved_step), 2U);
  if (comm.is_root()) {
    const auto lines = lines_of("not_finite_step_3.csv");
    ASSERT_EQ(lines.size(), 1U + static_cast<std::size_t>(comm.size()));
    EXPECT_EQ(lines[0], "step,time,rank,id,type,mass,x,y,z,vx,vy,vz,ax,ay,az,potential");
    for (int r = 0; r < comm.size(); ++r)
      EXPECT_EQ(lines[static_cast<std::size_t>(r) + 1], fmt::format("3,3,{},{},0,0,0,0,0,0,0,0,1,nan,inf,0", r, r));
  }
  comm.barrier();
  EXPECT_NE(message_of_run().find("not_finite_step_3_1.csv lists all"), std::string::npos) << "no list is overwritten";
}

TEST_F(NotFiniteRunTest, ListsSoManyParticlesOfARankAtMost) {
  constexpr std::size_t count = most_listed_of_rank + 5;
  for (const ParticleField& field : simulation.set.fields->rows()) simulation.set.resize(field, count);
  std::fill(simulation.set.mass.begin(), simulation.set.mass.end(), HUGE_VAL);
  const OutputDirectory own(directory.path());
  const std::string sentence = list_not_finite(simulation, comm, own, 7);
  const std::uint64_t ranks = static_cast<std::uint64_t>(comm.size());
  EXPECT_EQ(sentence, fmt::format("{} lists {} of {} such particles", directory.file("not_finite_step_7.csv"),
                                  format_count(ranks * most_listed_of_rank), format_count(ranks * count)));
}

TEST_F(NotFiniteRunTest, SaysWhatIsWrongAlsoWhereTheListCannotBeWritten) {
  const OutputDirectory absent(directory.file("absent"));
  Observers none;
  RunLoop loop(simulation, comm, StepSchedule(0, 8, 1, 0), std::move(none), {nullptr, nullptr, &absent});
  const std::string message = agreed_error_of([&] { loop.run({}); }, 3, comm);
  EXPECT_EQ(message.rfind("the force on the particle with id 0 is not finite; these particles are in no file: ", 0), 0U) << message;
  EXPECT_NE(message.find("absent/not_finite_step_3.csv: cannot be created: No such file"), std::string::npos) << message;
}

TEST_F(ControlledRunTest, SaysOnceThatTheSignalOfItsJobComesTooLate) {
  simulation.on_step = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  for (const double signal_s : {0.01, 100.0}) {
    said.clear();
    requests = RunRequests(output, TimeLimit(0, ""), signal_s);
    run_controlled({0, 4, 1, 0}, {}, false);
    ASSERT_EQ(said.size(), comm.is_root() && signal_s < 1 ? 1U : 0U);
    if (said.empty()) continue;
    EXPECT_NE(said[0].find("note: a step with its output takes up to "), std::string::npos) << said[0];
    EXPECT_NE(said[0].find("--signal=B:USR1@20"), std::string::npos) << said[0];
  }
}

TEST(RunRequestsTest, AdviseOnTheSignalWhereTheEndOfTheJobIsNotKnown) {
  const OutputDirectory output("out");
  RunRequests unknown(output, TimeLimit(0, ""), 120);
  EXPECT_EQ(unknown.advice(90, 20), "");
  const std::string advice = unknown.advice(100, 30);
  EXPECT_NE(advice.find("--signal=B:USR1@270"), std::string::npos) << advice;
  EXPECT_EQ(unknown.advice(1000, 30), "") << "once";
  EXPECT_EQ(RunRequests(output, TimeLimit(60, ""), 120).advice(100, 30), "") << "the run stops by itself";
  EXPECT_EQ(RunRequests(output, TimeLimit(0, "")).advice(100, 30), "") << "no job";
}

TEST(RunRequestsTest, ForgetWhatIsOlderThanTheRun) {
  const TemporaryDirectory directory;
  const OutputDirectory output(directory.path());
  RunRequests requests(output, TimeLimit(0, ""));
  EXPECT_EQ(requests.forget_earlier(), "");
  std::ofstream(output.stop_request()) << "";
  EXPECT_NE(requests.forget_earlier().find(output.stop_request()), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(output.stop_request()));
  EXPECT_EQ(requests.look(0).stop, StopCause::none);
}

TEST(TimeLimitTest, IsTheEarlierOfBoth) {
  const auto in_an_hour = std::to_string(std::time(nullptr) + 3600);
  EXPECT_FALSE(TimeLimit(0, "").exists());
  EXPECT_FALSE(TimeLimit(0, "soon").exists());
  EXPECT_FALSE(TimeLimit(0, "").is_near(1e9));
  EXPECT_NEAR(TimeLimit(0, in_an_hour).left_s(), 3600, 2);
  EXPECT_NEAR(TimeLimit(30, in_an_hour).left_s(), 1800, 1);
  EXPECT_NEAR(TimeLimit(90, in_an_hour).left_s(), 3600, 2);
  // A tenth is kept in reserve.
  EXPECT_FALSE(TimeLimit(1, "").is_near(48));
  EXPECT_TRUE(TimeLimit(1, "").is_near(55));
  EXPECT_TRUE(TimeLimit(0, std::to_string(std::time(nullptr) - 5)).is_near(0));
}

class OutputDirectoryTest : public ::testing::Test {
 protected:
  TemporaryDirectory parent;
  OutputDirectory output{parent.file("a/b")};

  void put(const std::string& name) const { std::ofstream(output.path() + "/" + name) << "x"; }
  void put_log() const { const EnergyLog log(output.energy()); }
  bool has(const std::string& name) const { return std::filesystem::exists(output.path() + "/" + name); }
  std::string message_of_prepare() const {
    try {
      output.prepare(EarlierResults::refuse);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(OutputDirectoryTest, IsCreatedWithItsParents) {
  output.prepare(EarlierResults::refuse);
  EXPECT_TRUE(std::filesystem::is_directory(output.path()));
  EXPECT_EQ(output.snapshot(7), output.path() + "/snapshot_0007.hdf5");
  EXPECT_EQ(output.snapshot(12345), output.path() + "/snapshot_12345.hdf5");
}

TEST_F(OutputDirectoryTest, KeepsResultsAndSetsThemAsideWhenToldTo) {
  output.prepare(EarlierResults::refuse);
  put("notes.txt");
  put("energy_of_mine.csv");
  put("snapshot_best.hdf5");
  EXPECT_EQ(message_of_prepare(), "");
  put("snapshot_0003.hdf5");
  put("checkpoint_1.hdf5");
  put_log();
  const std::string message = message_of_prepare();
  EXPECT_NE(message.find("checkpoint_1.hdf5 and 2 more)"), std::string::npos) << message;
  for (const char* option : {"--overwrite", "--continue"}) EXPECT_NE(message.find(option), std::string::npos) << message;
  output.prepare(EarlierResults::keep);
  EXPECT_TRUE(has("energy.csv"));
  for (int number = 1; number <= 2; ++number) {
    const auto done = output.prepare(EarlierResults::set_aside);
    const std::string aside = parent.file("a/b.") + std::to_string(number);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_NE(done[0].find(aside), std::string::npos) << done[0];
    for (const char* name : {"energy.csv", "snapshot_0003.hdf5", "checkpoint_1.hdf5"}) {
      EXPECT_FALSE(has(name));
      EXPECT_TRUE(std::filesystem::exists(aside + "/" + name)) << name;
      put(name);
    }
    std::filesystem::remove(output.energy());
    put_log();
    for (const char* name : {"notes.txt", "energy_of_mine.csv", "snapshot_best.hdf5"}) EXPECT_TRUE(has(name)) << name;
  }
}

/// What a file begins with that Grove has written, with one row: now, and before its logs were plain tables.
const std::string timings_now =
    "step,time,walk_mean_s,walk_max_s,other_mean_s,other_max_s,total_s,imbalance,particles_per_s\n0,0,1,1,0,0,1,1,500\n";
const std::string timings_before = "# Grove: wall time of every step\n#  1 step: number of the step\n" + timings_now;

TEST_F(OutputDirectoryTest, TakesNoFileOfTheUserForALog) {
  output.prepare(EarlierResults::refuse);
  const auto put_text = [&](const std::string& name, const std::string& text) { std::ofstream(output.path() + "/" + name) << text; };
  for (const char* name : {"early.csv", "not_finite_step_.csv", "timings_1.csv"}) put_text(name, timings_now);
  put_text("not_finite_step_1.csv", "step,time\n1,0\n");
  put_text("notes.csv", timings_before);
  EXPECT_EQ(message_of_prepare(), "");
  std::string other = timings_now;
  other.replace(other.find("walk_max_s"), 10, "walk_least");
  for (const std::string& text : {std::string("time,total\n0,1\n"), other, " " + timings_now, timings_now.substr(0, 30),
                                  "# my timings\n#  1 step: of mine\n" + timings_now.substr(5)}) {
    put_text("timings.csv", text);
    EXPECT_NE(message_of_prepare().find("timings.csv: cannot be created: there is a file of this name that Grove has not written"),
              std::string::npos)
        << text;
    EXPECT_EQ(text_of_file(output.timings()), text);
  }
}

TEST_F(OutputDirectoryTest, KnowsLogsAlsoOfEarlierVersions) {
  output.prepare(EarlierResults::refuse);
  for (const std::string& text : {timings_now, timings_before, std::string()}) {
    std::ofstream(output.timings()) << text;
    EXPECT_NE(message_of_prepare().find("(timings.csv)"), std::string::npos) << text;
  }
  std::ofstream(output.timings()) << timings_before;
  TimingsLog log(output.timings(), 1);
  log.add(1, 0.5, 500, {});
  EXPECT_EQ(text_of_file(output.timings()), timings_before + "1,0.5,0,0,0,0,0,1,0\n") << "goes on in the form that it has";
}

TEST_F(OutputDirectoryTest, RemovesUnfinishedFilesOfGroveAlone) {
  output.prepare(EarlierResults::refuse);
  for (const char* name : {"snapshot_0001.hdf5.partial", "checkpoint_0.hdf5.partial", "snapshot_x.hdf5.partial", "notes.partial"})
    put(name);
  const auto done = output.prepare(EarlierResults::refuse);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_NE(done[0].find("checkpoint_0.hdf5.partial and 1 more"), std::string::npos) << done[0];
  EXPECT_FALSE(has("snapshot_0001.hdf5.partial"));
  EXPECT_TRUE(has("snapshot_x.hdf5.partial"));
  EXPECT_TRUE(has("notes.partial"));
}

TEST_F(OutputDirectoryTest, RefusesLogsOfOthersBeforeItMovesAnything) {
  output.prepare(EarlierResults::refuse);
  std::ofstream(output.timings()) << "mine,1\n";
  put("snapshot_0001.hdf5");
  for (const EarlierResults earlier : {EarlierResults::refuse, EarlierResults::set_aside}) {
    try {
      output.prepare(earlier);
      ADD_FAILURE() << "no error";
    } catch (const SystemError& error) {
      EXPECT_NE(std::string(error.what()).find(output.timings() + ": cannot be created: there is a file"), std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(has("snapshot_0001.hdf5"));
  }
}

TEST_F(OutputDirectoryTest, KnowsItsSnapshotsAndWhatLiesInIt) {
  output.prepare(EarlierResults::refuse);
  for (const char* name : {"snapshot_0002.hdf5", "snapshot_12345.hdf5", "snapshot_0003.hdf5.partial", "checkpoint_1.hdf5"}) put(name);
  EXPECT_EQ(output.snapshots(), (std::vector<std::uint64_t>{2, 12345}));
  EXPECT_TRUE(output.contains(output.path() + "/x.hdf5"));
  EXPECT_TRUE(output.contains(parent.file("a/../a/b/c/x.hdf5")));
  EXPECT_FALSE(output.contains(parent.file("a/bc/x.hdf5")));
  EXPECT_TRUE(OutputDirectory(output.path() + "/").contains(output.path() + "/x.hdf5"));
}

TEST_F(OutputDirectoryTest, NamesADirectoryThatCannotBeMade) {
  std::ofstream(parent.file("a")) << "a file where a directory should be";
  const std::string message = message_of_prepare();
  EXPECT_NE(message.find(output.path()), std::string::npos) << message;
}

}  // namespace
}  // namespace grove
