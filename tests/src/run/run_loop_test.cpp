#include "src/run/loop/run_loop.hpp"
#include "src/simulation/require_finite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "io/files/partial_file.hpp"
#include "io/snapshots/checkpoint.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text_table.hpp"
#include "src/config/config_print.hpp"
#include "src/run/files/not_finite_list.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/loop/run_summary.hpp"
#include "src/run/observers/energies.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/resume/continuation.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/on_all_ranks.hpp"
#include "tests/support/run_loop_support.hpp"

namespace grove::tests {
namespace {

TEST_F(RunLoopTest, TakesEveryStepAndWritesEverySnapshot) {
  const RunReport report = run({1, 3, 0.5, 1});
  EXPECT_EQ(simulation.steps, 4);
  EXPECT_EQ(simulation.time(), 3.0);
  EXPECT_EQ(snapshots, (std::vector<std::pair<std::uint64_t, double>>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(report.steps, 4u);
  EXPECT_EQ(report.kept.step, report.steps);
  EXPECT_EQ(report.kept.file, "state 2");
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
  EXPECT_EQ(lines[1], "0,1,-2,-1,0,0,0,0,0,0,0,0,0,0,1,-1,0,1");
  EXPECT_EQ(lines[5].rfind("1,1.04,-2,-0.96,0.040000000000000036", 0), 0u) << lines[5];
}

TEST(Forecast, IsThatOfAllForcesOfALongRun) {
  const StepSchedule schedule(0, 100, 0.125, 0);
  EXPECT_EQ(forecast(2.0, 4, schedule),
            "the first force evaluation took 2.00 s: all steps take about 1:46:40, or less, since later evaluations are mostly faster\n");
  EXPECT_EQ(forecast(2.0, 0, schedule), "") << "the number of forces is not known";
  EXPECT_EQ(forecast(0.01, 1, schedule), "") << "8 seconds";
}

TEST_F(ControlledRunTest, ForecastsTheTimeOfANewRunBeforeItsFirstStep) {
  forces_a_step = 1'000'000'000'000;
  run_controlled({0, 1, 0.25, 0});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].rfind("the first force evaluation took ", 0), 0u) << said[0];
  run_controlled({0, 2, 0.25, 0}, {.file = checkpoints.last(), .is_checkpoint = true, .step = 4, .state = state_in(checkpoints.last())});
  EXPECT_EQ(said.size(), 1u) << "a run that continues from a checkpoint begins without forces";
}

TEST_F(RunLoopTest, ItsSummarySaysOfWhichEnergyTheErrorIsAndWhetherItWasEverTooLarge) {
  const StepSchedule schedule(0, 1, 0.25, 0);
  RunReport report = run(schedule);
  const auto summary = [&] { return run_summary(report, schedule, OutputDirectory("out")); };
  const auto has = [&](const char* text) { return summary().find(text) != std::string::npos; };
  EXPECT_TRUE(has("not accurate: the energy was wrong by up to 0.04 of itself")) << summary();
  report.largest_error_of_steps = 1e-3;
  EXPECT_FALSE(has("not accurate")) << summary();
  report.largest_error_of_steps = 0.22;
  report.error_of_steps = 1e-3;
  EXPECT_TRUE(has("up to 0.22")) << "at its end it may be right again: " << summary();
  EXPECT_FALSE(has("own energy"));
  report.last.sums.external = -1e4;
  report.last.sums.without_mass = 3;
  report.last.own_error = 0.28;
  EXPECT_TRUE(has("against which the error is 2.80e-01 at the end")) << summary();
  EXPECT_TRUE(has("0.22 of the system's own energy")) << summary();
  EXPECT_TRUE(has("not measured for 3 particles without mass")) << summary();
  report.last.sums.is_driven = true;
  EXPECT_TRUE(has("which changes, since an external potential moves")) << summary();
  EXPECT_FALSE(has("error") || has("not accurate")) << summary();
  report.last.sums.is_driven = false;
  report.last.sums.change_of_each = 0.28;
  EXPECT_TRUE(has("energy     of each particle, v^2 / 2 + potential: mean change 2.80e-01")) << summary();
  report.last.sums = {};
  EXPECT_TRUE(has("not measured: no particle has mass")) << summary();
}

TEST_F(RunLoopTest, ALogThatWasBegunLaterHasTheFirstEnergyToo) {
  run({0, 1, 0.25, 0});
  if (!comm.is_root()) return;
  EXPECT_EQ(first_energies_in(directory.file("energy.csv")).value_or(FirstEnergies{}).total, -1);
  std::string text = text_of_file(directory.file("energy.csv"));
  const std::size_t first = text.find('\n') + 1;
  text.erase(first, text.find('\n', first) + 1 - first);
  std::ofstream(directory.file("later.csv")) << text;
  EXPECT_NEAR(first_energies_in(directory.file("later.csv")).value_or(FirstEnergies{}).total, -1, 1e-15);
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
  const SnapshotObserver<HostSpace> observer({space, particles, comm, setup});
  EXPECT_FALSE(observer.due({2, 1, report.start, report.last, 0, true}));
  EXPECT_EQ(observer.kept_state().file, "");
  EXPECT_NE(observer.written().find("no snapshots"), std::string::npos);
  EXPECT_EQ(report.kept.file, "");
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

TEST_F(ControlledRunTest, WritesCheckpointsByTurnsAtTheBeginningEverySoManyStepsAndAtTheEnd) {
  config.output.checkpoint_steps = 2;
  const RunReport report = run_controlled({0, 5, 1, 0});
  EXPECT_EQ(report.checkpoints, 4U) << "after steps 0, 2, 4 and 5";
  EXPECT_EQ(report.checkpoint, output.checkpoint(1));
  EXPECT_EQ(state_in(output.checkpoint(0)).count(saved_step), 4U);
  const SavedState last = state_in(output.checkpoint(1));
  EXPECT_EQ(last.count(saved_step), 5U);
  EXPECT_EQ(last.count("fake.steps"), 5U);
  EXPECT_EQ(last.text(saved_configuration), print_config(config));
  EXPECT_NEAR(last.numbers(saved_energies, 5)[0], -1, 1e-15);
  EXPECT_NEAR(last.numbers(saved_energies, 5)[3], 0.05, 1e-12);
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
  const RunReport report = run_controlled(schedule, {.file = "before", .is_checkpoint = true, .step = 4, .state = state});
  EXPECT_EQ(report.first_step, 4U);
  EXPECT_EQ(report.steps, 6U);
  EXPECT_EQ(simulation.steps, 6);
  EXPECT_NEAR(report.first_energies.total, -1, 1e-15);
  EXPECT_NEAR(report.largest_energy_error, 0.06, 1e-12);
  if (!comm.is_root()) return;
  EXPECT_EQ(lines_of("energy.csv"), whole);
  EXPECT_EQ(lines_of("timings.csv").size(), timings.size());
}

TEST_F(ControlledRunTest, TellsAJumpOfTheEnergyFromErrorsOfTheSteps) {
  EXPECT_FALSE(run_controlled({0, 4, 1, 4}).energy_has_jumped);
  const SavedState state = state_in(output.checkpoint(1));
  simulation.steps = 20;  // other settings: the energy is -0.8 now
  RunReport report = run_controlled({0, 6, 1, 6}, {.file = "before", .step = 4, .state = state, .energy_jumps = true});
  EXPECT_TRUE(report.energy_has_jumped);
  EXPECT_NEAR(report.last.relative_error, 0.22, 1e-12);
  EXPECT_NEAR(report.error_of_steps, 0.025, 1e-12);
  EXPECT_NEAR(report.largest_error_of_steps, 0.025, 1e-12);
  const SavedState later = state_in(report.checkpoint);
  report = run_controlled({0, 7, 1, 7}, {.file = "before", .is_checkpoint = true, .step = 6, .state = later});
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
  RunReport report = run_controlled({0, 8, 1, 4}, {.file = "before", .is_checkpoint = true, .step = 3, .state = state}, false);
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
  EXPECT_EQ(report.kept.step, report.steps);
  EXPECT_EQ(report.kept.file, "state 1") << "without checkpoints, the last state is a snapshot";
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
    EXPECT_NE(told.find("the run continues without"), std::string::npos) << told;
    const std::vector<std::string> times{"time", "0", "1", "2", "3", "7", "8"};
    EXPECT_EQ(times_in("energy.csv"), times);
    for (const std::string& line : lines_of("energy.csv")) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 17) << line;
  }
  EXPECT_EQ(report.steps, 8U);
  EXPECT_NE(run_summary(report, schedule, output).find("energy.csv; the rows of steps 4 to 6 could not be written"), std::string::npos);
  // The log has fewer rows than there were states; one of a later time is cut off, and the others stay.
  const SavedState state = state_in(report.checkpoint);
  EXPECT_EQ(state.count(saved_energy_rows), 6U);
  if (comm.is_root()) std::ofstream(output.energy(), std::ios::app) << lines_of("energy.csv").back() << "\n";
  comm.barrier();
  run_controlled({0, 9, 1, 0}, {.file = "before", .is_checkpoint = true, .step = 8, .state = state});
  if (comm.is_root()) {
    EXPECT_EQ(times_in("energy.csv"), (std::vector<std::string>{"time", "0", "1", "2", "3", "7", "8", "9"}));
    EXPECT_EQ(rows_up_to(output.energy(), "time", 3.5).count, 4U);
    EXPECT_EQ(rows_up_to(output.energy(), "time", 7).count, 5U);
  }
  comm.barrier();
}

TEST_F(ControlledRunTest, GoesOnFromACheckpointOfAVersionWithOtherNamesOfKeys) {
  config = parse_config("[initial_conditions]\ngenerator = \"plummer\"\n[time]\nend = 4\ndt = 1\n", "run.toml", {});
  run_controlled({0, 4, 1, 0});
  const std::string newest = output.checkpoint(1);
  SavedState state = state_in(newest);
  std::string text = state.text(saved_configuration);
  const std::string today = "in_background = ", former = "beside = ";
  ASSERT_NE(text.find(today), std::string::npos);
  state.put(saved_configuration, text.replace(text.find(today), today.size(), former));
  write_checkpoint(newest, *simulation.columns(), state, comm, Hdf5Turn());
  config.time.end = 6;
  const RestartPoint from = find_restart_point({output, config, standard_fields()}, comm);
  EXPECT_EQ(from.file, newest);
  EXPECT_EQ(from.step, 4U);
  EXPECT_NE(from.state.text(saved_configuration).find(former), std::string::npos);
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
  EXPECT_EQ(message, "step 3 of 8, from t = 2: the force on the particle with id 0 is not finite; " +
                         directory.file("not_finite_step_3.csv") + " lists all such particles: " + std::to_string(comm.size()));
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
  const StepSchedule schedule(0, 8, 1, 0);
  RunLoop loop(simulation, comm, schedule, std::move(none), {nullptr, nullptr, &absent});
  const std::string message = agreed_error_of([&] { loop.run({}); }, 3, comm);
  EXPECT_EQ(
      message.rfind("step 3 of 8, from t = 2: the force on the particle with id 0 is not finite; these particles are in no file: ", 0), 0U)
      << message;
  EXPECT_NE(message.find("absent/not_finite_step_3.csv: cannot be created: No such file"), std::string::npos) << message;
}

TEST_F(ControlledRunTest, SaysInWhichStepItsParticlesCouldNotGoOn) {
  for (const int code : {3, 4}) {
    simulation.steps = 0;
    simulation.on_step = [&] {
      if (simulation.steps == 3) throw AgreedError("that is the reason", code);
    };
    EXPECT_EQ(agreed_error_of(
                  [&] {
                    run_controlled({0, 8, 1, 0});
                  },
                  code, comm),
              code == 3 ? "step 3 of 8, from t = 2: that is the reason" : "that is the reason");
  }
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

}  // namespace
}  // namespace grove::tests
