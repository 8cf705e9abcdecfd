#include "src/run/run_loop.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <sstream>

#include "kernels/space/error.hpp"
#include "src/run/observers/energies.hpp"
#include "src/run/observers/snapshots.hpp"
#include "src/run/observers/timings.hpp"
#include "src/run/output_directory.hpp"
#include "src/run/run_summary.hpp"
#include "tests/support/idle_simulation.hpp"
#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

/// Counts what it is asked to do; its energy is -1 + 0.01 * (number of steps).
class FakeSimulation : public tests::IdleSimulation {
 public:
  int steps = 0;
  std::function<void()> on_step = [] {};

  void step_to(double time_after, double dt) override {
    IdleSimulation::step_to(time_after, dt);
    ++steps;
    on_step();
  }
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
};

/// Notes the states that a schedule wants snapshots of.
class StateObserver : public Observer {
 public:
  using States = std::vector<std::pair<std::uint64_t, double>>;
  StateObserver(const StepSchedule& schedule, States& states) : schedule_(schedule), states_(states) {}
  bool due(const RunState& state) const override { return state.is_last || schedule_.snapshot_due(state.step); }
  void observe(const RunState& state) override { states_.emplace_back(states_.size(), state.time); }
  std::string written() const override { return std::to_string(states_.size()) + " states"; }
  std::string last_state() const override { return "state " + std::to_string(states_.size() - 1); }

 private:
  const StepSchedule& schedule_;
  States& states_;
};

class RunLoopTest : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  TemporaryDirectory directory{comm};
  FakeSimulation simulation;
  StateObserver::States snapshots;

  RunReport run(const StepSchedule& schedule, bool with_snapshots = true) {
    Observers observers;
    observers.push_back(std::make_unique<EnergyObserver>(comm, directory.file("energy.csv"), "N-body units"));
    observers.push_back(std::make_unique<TimingsObserver>(comm, directory.file("timings.csv")));
    if (with_snapshots) observers.push_back(std::make_unique<StateObserver>(schedule, snapshots));
    return RunLoop(simulation, comm, schedule, std::move(observers)).run({});
  }

  /// Lines that are not comments, the names of the columns first.
  std::vector<std::string> lines_of(const std::string& name) const {
    std::istringstream text(text_of_file(directory.file(name)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
      if (line[0] != '#') lines.push_back(line);
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
  EXPECT_EQ(observer.last_state(), "");
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

class OutputDirectoryTest : public ::testing::Test {
 protected:
  TemporaryDirectory parent;
  OutputDirectory output{parent.file("a/b")};

  void put(const std::string& name) const { std::ofstream(output.path() + "/" + name) << "x"; }
  bool has(const std::string& name) const { return std::filesystem::exists(output.path() + "/" + name); }
  std::string message_of_prepare() const {
    try {
      output.prepare(false);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(OutputDirectoryTest, IsCreatedWithItsParents) {
  output.prepare(false);
  EXPECT_TRUE(std::filesystem::is_directory(output.path()));
  EXPECT_EQ(output.snapshot(7), output.path() + "/snapshot_0007.hdf5");
  EXPECT_EQ(output.snapshot(12345), output.path() + "/snapshot_12345.hdf5");
}

TEST_F(OutputDirectoryTest, KeepsResultsUnlessToldToOverwrite) {
  output.prepare(false);
  put("notes.txt");
  EXPECT_EQ(message_of_prepare(), "");
  put("snapshot_0003.hdf5");
  put("energy.csv");
  const std::string message = message_of_prepare();
  EXPECT_NE(message.find("energy.csv and 1 more)"), std::string::npos) << message;
  EXPECT_NE(message.find("--overwrite"), std::string::npos) << message;
  EXPECT_TRUE(has("energy.csv"));
  output.prepare(true);
  EXPECT_FALSE(has("energy.csv"));
  EXPECT_FALSE(has("snapshot_0003.hdf5"));
  EXPECT_TRUE(has("notes.txt"));
}

TEST_F(OutputDirectoryTest, NamesADirectoryThatCannotBeMade) {
  std::ofstream(parent.file("a")) << "a file where a directory should be";
  const std::string message = message_of_prepare();
  EXPECT_NE(message.find(output.path()), std::string::npos) << message;
}

}  // namespace
}  // namespace grove
