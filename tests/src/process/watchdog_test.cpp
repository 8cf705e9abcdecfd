// The watchdog names the rank that is slow, and tells it from those that wait for it. Limits are short; times are far enough from them for
// a machine that does other things, too.
#include "src/process/watchdog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "decomposition/ranks/rank_place.hpp"
#include "kernels/space/phase_clock.hpp"
#include "src/process/stop_signals.hpp"
#include "src/run/loop/run_loop.hpp"
#include "tests/support/idle_simulation.hpp"

namespace grove {
namespace {

constexpr WatchdogLimits short_limits{.shortest_s = 0.5, .usual_times = 5, .first_s = 0.5, .interval_s = 0.01};

void sleep_s(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// A walk, which is slow on one rank in one step, after which all ranks meet.
class SlowSimulation : public tests::IdleSimulation {
 public:
  SlowSimulation(const Communicator& comm, int slow_rank) : comm_(comm), slow_rank_(slow_rank) {}
  void step_to(double time_after, double dt, const StepOverlap& overlap) override {
    IdleSimulation::step_to(time_after, dt, overlap);
    clock_.restart();
    clock_.begin("walk");
    sleep_s(comm_.rank() == slow_rank_ && ++steps_ == slow_step ? 2.5 : 0.002);
    clock_.begin("waiting");
    comm_.barrier();
    clock_.end();
  }
  static constexpr int slow_step = 6;

 private:
  const Communicator& comm_;
  int slow_rank_, steps_ = 0;
  HostSpace space_;
  PhaseClock<HostSpace> clock_{space_};
};

class WatchdogTest : public ::testing::Test {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  std::string place = "rank " + std::to_string(comm.rank()) + " on " + host_name();
  std::mutex mutex;
  std::vector<std::string> lines;

  Watchdog::Say note() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex);
      lines.push_back(line);
    };
  }
  void run_with_slow_rank(int slow) {
    SlowSimulation simulation(comm, slow);
    const StepSchedule schedule(0, 8, 1, 0);
    const Watchdog watchdog(comm, short_limits, note());
    RunLoop(simulation, comm, schedule, {}).run({});
  }
  /// Of the slow step; a busy machine may make others slow.
  std::vector<std::string> lines_of_slow_step() const {
    std::vector<std::string> found;
    for (const std::string& line : lines)
      if (line.find("of step 6 ") != std::string::npos) found.push_back(line);
    return found;
  }
};

TEST_F(WatchdogTest, NamesTheSlowRankOnceAndAgainWhenItsTimeHasDoubled) {
  const int slow = comm.size() - 1;
  run_with_slow_rank(slow);
  const auto found = lines_of_slow_step();
  if (comm.rank() == slow) {
    ASSERT_GE(found.size(), 2U) << "after 0.5, 1 and 2 s";
    EXPECT_LE(found.size(), 3U);
    for (const std::string& line : found) EXPECT_EQ(line.rfind(place + " is in 'walk' of step 6 for ", 0), 0U) << line;
    EXPECT_NE(found[0].find(" s; usually "), std::string::npos) << found[0];
  } else if (comm.local_rank() == 0) {
    ASSERT_GE(found.size(), 1U);
    for (const std::string& line : found)
      EXPECT_EQ(line.rfind(place + " waits for other ranks in 'waiting' of step 6 for ", 0), 0U) << line;
  } else {
    EXPECT_EQ(found, std::vector<std::string>{}) << "one rank of a node says that it waits";
  }
}

TEST_F(WatchdogTest, NamesTheFirstRankWhereThatIsSlow) {
  run_with_slow_rank(0);
  const auto found = lines_of_slow_step();
  EXPECT_EQ(found.empty(), comm.local_rank() != 0);
  // On other nodes their first rank says that it waits.
  const std::string what = comm.rank() == 0 ? " is in 'walk' of step 6 for " : " waits for other ranks in 'waiting' of step 6 for ";
  for (const std::string& line : found) EXPECT_EQ(line.rfind(place + what, 0), 0U) << line;
}

TEST_F(WatchdogTest, NamesWhatHasNoUsualTimeYet) {
  const Watchdog watchdog(comm, short_limits, note());
  begin_activity("reading the particles");
  sleep_s(0.8);
  begin_activity(nullptr);
  sleep_s(0.8);
  const std::lock_guard lock(mutex);
  ASSERT_EQ(lines.size(), 1U) << "what is not watched is not named";
  EXPECT_EQ(lines[0], place + " is in 'reading the particles' for 1 s");
}

TEST_F(WatchdogTest, SaysNothingOfWhatTakesItsUsualTime) {
  const Watchdog watchdog(comm, {.shortest_s = 0.1, .usual_times = 20, .first_s = 100, .interval_s = 0.01}, note());
  for (int i = 0; i < 4; ++i) {
    begin_activity("checkpoint");
    sleep_s(0.2);
    begin_activity(nullptr);
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(lines, std::vector<std::string>{});
}

TEST_F(WatchdogTest, LooksAtThreadsBackgroundWork) {
  const Watchdog watchdog(comm, short_limits, note());
  std::thread([] {
    Activity activity;
    const WatchedThread watched(activity);
    begin_activity("snapshot in the background");
    sleep_s(0.8);
  }).join();
  const std::lock_guard lock(mutex);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].rfind(place + " is in 'snapshot in the background' for ", 0), 0U) << lines[0];
}

TEST_F(WatchdogTest, SaysThatTheRunStopsAfterALongStep) {
  const StopSignals signals;
  const Watchdog watchdog(comm, {.interval_s = 0.01, .signal_s = 0.3}, note());
  begin_step_of_activity(7);
  begin_activity("walk");
  sleep_s(0.4);
  begin_step_of_activity(8);
  std::raise(SIGUSR1);
  sleep_s(0.8);
  begin_activity(nullptr);
  const std::lock_guard lock(mutex);
  ASSERT_EQ(lines.size(), comm.is_root() ? 1U : 0U) << "once, and by one rank";
  if (comm.is_root()) {
    EXPECT_EQ(lines[0].rfind("SIGUSR1 has come: the run stops after the present step 8, which has taken 0 s of usually 0 s; ", 0), 0U)
        << lines[0];
  }
}

TEST(WatchdogLine, HasStepTimeAndUsualTime) {
  const Activity::Look walk{.number = 2, .name = "walk", .step = 1200, .lasts_s = 61, .usual_s = 0.8};
  EXPECT_EQ(watchdog_line("rank 3 on node17", walk), "rank 3 on node17 is in 'walk' of step 1200 for 61 s; usually 800 ms");
  const Activity::Look waiting{.number = 2, .name = "waiting", .step = 1200, .lasts_s = 61, .usual_s = 0.8, .waits_s = 61};
  EXPECT_EQ(watchdog_line("rank 0 on node17", waiting),
            "rank 0 on node17 waits for other ranks in 'waiting' of step 1200 for 61 s; usually 800 ms");
}

}  // namespace
}  // namespace grove
