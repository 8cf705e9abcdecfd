// When a run loop lets the next step overlap with the present one, and what it then does later.
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "tests/support/on_all_ranks.hpp"
#include "tests/support/run_loop_support.hpp"

namespace grove::tests {
namespace {

TEST_F(ControlledRunTest, LetsStepsOverlapWhereNobodyLooksAtTheParticles) {
  simulation.overlaps = true;
  config.output.checkpoint_steps = 3;
  EXPECT_EQ(run_controlled({0, 4, 0.5, 2}).checkpoints, 4U) << "after steps 0, 3, 6 and 8";
  // Snapshots after 0, 4 and 8. Of the first step nothing has been asked yet.
  EXPECT_EQ(simulation.overlapped, (std::vector<int>{2, 5, 7}));
  EXPECT_EQ(simulation.next_steps, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(snapshots.size(), 3U);
}

TEST_F(ControlledRunTest, ShowsEachStateToTheObserversOnceWhereStepsOverlap) {
  run_controlled({0, 4, 0.5, 2});
  const auto expected = comm.is_root() ? lines_of("energy.csv") : std::vector<std::string>();
  comm.barrier();
  simulation.overlaps = true;
  for (const bool does_host_work : {true, false}) {
    simulation.does_host_work = does_host_work;
    simulation.steps = 0;
    simulation.overlapped.clear();
    run_controlled({0, 4, 0.5, 2});
    EXPECT_EQ(simulation.overlapped.size(), 5U);
    if (comm.is_root()) {
      EXPECT_EQ(lines_of("energy.csv"), expected);
      EXPECT_EQ(lines_of("timings.csv").size(), expected.size());
    }
    comm.barrier();
  }
}

TEST_F(ControlledRunTest, ShowsTheLastStateToTheObserversWhateverEndsTheRun) {
  simulation.overlaps = true;
  simulation.does_host_work = false;
  simulation.on_step = [&] {
    if (simulation.steps == 6) throw AgreedError("the device is lost", 1);
  };
  EXPECT_EQ(agreed_error_of([&] { run_controlled({0, 100, 1, 50}); }, 1, comm), "the device is lost");
  EXPECT_EQ(simulation.overlapped.back(), 6);
  if (comm.is_root()) {
    EXPECT_EQ(lines_of("energy.csv").size(), 7U) << "names, and the states after steps 0 to 5";
  }
  comm.barrier();
}

TEST_F(ControlledRunTest, StopsAStepLaterWhereThatHasBegun) {
  simulation.overlaps = true;
  simulation.on_step = [&] {
    if (simulation.steps == 5 && comm.rank() == comm.size() - 1) std::raise(SIGTERM);
  };
  const RunReport report = run_controlled({0, 100, 1, 50});
  EXPECT_EQ(report.signal, SIGTERM);
  EXPECT_EQ(report.steps, 6U);
  EXPECT_EQ(simulation.overlapped, (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(state_in(report.checkpoint).count(saved_step), 6U);
}

TEST_F(ControlledRunTest, StopsWithALastSnapshotAStepLaterWithoutCheckpoints) {
  simulation.overlaps = true;
  simulation.on_step = [&] {
    if (simulation.steps == 5) std::raise(SIGTERM);
  };
  const RunReport report = run_controlled({0, 100, 1, 50}, {}, false);
  EXPECT_EQ(report.steps, 6U);
  EXPECT_EQ(report.kept.step, report.steps);
  EXPECT_EQ(report.kept.file, "state 1");
  EXPECT_EQ(snapshots.back().second, 6.0);
}

}  // namespace
}  // namespace grove::tests
