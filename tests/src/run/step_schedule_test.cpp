#include "src/run/files/step_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"

namespace grove {
namespace {

std::vector<std::uint64_t> snapshot_steps(const StepSchedule& schedule) {
  std::vector<std::uint64_t> steps;
  for (std::uint64_t step = 0; step <= schedule.steps(); ++step)
    if (schedule.snapshot_due(step)) steps.push_back(step);
  return steps;
}

std::string message_of(double begin, double end, double dt, double snapshot_every) {
  try {
    StepSchedule(begin, end, dt, snapshot_every);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(StepScheduleTest, EndsExactlyAtTheEndWhateverTheRounding) {
  const StepSchedule schedule(0, 20, 0.1, 1);
  EXPECT_EQ(schedule.steps(), 200u);
  EXPECT_EQ(schedule.time(0), 0.0);
  EXPECT_EQ(schedule.time(200), 20.0);
  EXPECT_NEAR(schedule.time(7), 0.7, 1e-15);
}

TEST(StepScheduleTest, PutsSnapshotsAtMultiplesAndAtBothEnds) {
  EXPECT_EQ(snapshot_steps({0, 1, 0.1, 0.3}), (std::vector<std::uint64_t>{0, 3, 6, 9, 10}));
  EXPECT_EQ(snapshot_steps({5, 6, 0.25, 0.5}), (std::vector<std::uint64_t>{0, 2, 4}));
  EXPECT_EQ(snapshot_steps({0, 2, 0.1, 1.0}), (std::vector<std::uint64_t>{0, 10, 20}));
}

TEST(StepScheduleTest, MakesEverySnapshotOfALongRun) {
  const StepSchedule schedule(0, 1000, 0.001, 0.1);
  EXPECT_EQ(snapshot_steps(schedule).size(), 10001u);
}

TEST(StepScheduleTest, TakesTheFirstStepAfterASnapshotTimeBetweenSteps) {
  EXPECT_EQ(snapshot_steps({0, 1, 0.25, 0.4}), (std::vector<std::uint64_t>{0, 2, 4}));
  EXPECT_EQ(snapshot_steps({0, 1, 0.25, 0.25}), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(StepScheduleTest, NumbersStepsOnFromThoseOfAnotherStep) {
  const StepSchedule plain(0, 3, 0.25, 0.5);
  // t = 1 was reached by 10 steps of 0.1, or by 2 of 0.5.
  for (const std::uint64_t before : {std::uint64_t{10}, std::uint64_t{2}}) {
    StepSchedule schedule = plain;
    schedule.number_on(4, before);
    EXPECT_EQ(schedule.steps(), before + 8);
    EXPECT_EQ(schedule.step_at(1, "file"), before);
    EXPECT_EQ(schedule.snapshots_after(before), plain.snapshots_after(4));
    for (std::uint64_t step = 0; step <= 8; ++step) {
      EXPECT_EQ(schedule.time(before + step), plain.time(4 + step));
      EXPECT_EQ(schedule.snapshot_due(before + step), plain.snapshot_due(4 + step)) << step;
    }
  }
}

// A run of 1 that has taken 50 steps of 0.02 to t = 1, and continues to 4 with another dt.
TEST(StepScheduleTest, DividesWhatIsLeftAndCountsSnapshotsFromTheFirstState) {
  StepSchedule schedule(1, 4, 0.03, 0.7, {}, 0.0);
  schedule.number_on(0, 50);
  EXPECT_EQ(schedule.steps(), 150U);
  EXPECT_EQ(schedule.time(50), 1);
  EXPECT_EQ(schedule.time(150), 4);
  EXPECT_EQ(schedule.step_at(1, "file"), 50U);
  std::vector<double> due;
  for (std::uint64_t step = 51; step <= 150; ++step)
    if (schedule.snapshot_due(step)) due.push_back(schedule.time(step));
  ASSERT_EQ(due.size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(due[i], 0.7 * static_cast<double>(i + 2), 0.03);
  EXPECT_EQ(schedule.snapshots_after(50), 5U);
  EXPECT_THROW(StepSchedule(1, 4, 0.07, 0.7, {}, 0.0), ConfigError);
}

TEST(StepScheduleTest, ProposesStepsThatDivideTheTimeBetweenSnapshotsToo) {
  EXPECT_NE(message_of(0, 10, 0.03, 0.5).find("divide it and output.snapshot_every are 0.02941176471 (340 steps) and 0.03125 (320 steps)"),
            std::string::npos)
      << message_of(0, 10, 0.03, 0.5);
  EXPECT_NE(message_of(0, 10, 0.7, 0.5).find("0.5 (20 steps) divides it and output.snapshot_every"), std::string::npos)
      << message_of(0, 10, 0.7, 0.5);
  EXPECT_DOUBLE_EQ(StepSchedule(0, 10, 0.1, 0.5).dividing_step(0.03), 0.5 / 17);
  EXPECT_DOUBLE_EQ(StepSchedule(0, 10, 0.1, 0.5).dividing_step(0.1), 0.1);
  EXPECT_DOUBLE_EQ(StepSchedule(0, 10, 0.1, 0).dividing_step(0.03), 10.0 / 334);
  EXPECT_DOUBLE_EQ(StepSchedule(0, 10, 0.1, 0.3).dividing_step(0.03), 10.0 / 334) << "no multiple of it ends the run";
}

TEST(StepScheduleTest, WritesOnlyBothEndsWithSnapshotEveryZero) {
  EXPECT_EQ(snapshot_steps({0, 1, 0.25, 0}), (std::vector<std::uint64_t>{0, 4}));
}

TEST(StepScheduleTest, CountsTheSnapshotsThatAreLeft) {
  for (const StepSchedule& schedule : {StepSchedule(0, 1, 0.1, 0.3), StepSchedule(0, 2, 0.1, 1), StepSchedule(0, 1, 0.25, 0.4),
                                       StepSchedule(0, 1, 0.25, 0.25), StepSchedule(0, 1, 0.25, 0), StepSchedule(3, 3, 0.1, 1)}) {
    const std::vector<std::uint64_t> steps = snapshot_steps(schedule);
    EXPECT_EQ(schedule.snapshots_after(0), steps.size());
    for (std::uint64_t step = 1; step <= schedule.steps(); ++step)
      EXPECT_EQ(schedule.snapshots_after(step),
                static_cast<std::uint64_t>(std::count_if(steps.begin(), steps.end(), [&](auto s) { return s > step; })))
          << step;
  }
}

TEST(StepScheduleTest, FindsTheStepOfATime) {
  const StepSchedule schedule(1, 21, 0.1, 1);
  for (const std::uint64_t step : {0u, 1u, 7u, 199u, 200u}) EXPECT_EQ(schedule.step_at(schedule.time(step), "a file"), step);
  EXPECT_EQ(schedule.step_at(1.3, "a file"), 3u);
  for (const auto& [time, part] : {std::pair(0.5, "time.begin"), std::pair(21.1, "time.end"), std::pair(1.25, "between two steps")}) try {
      schedule.step_at(time, "a file");
      ADD_FAILURE() << time;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("a file"), std::string::npos) << error.what();
    }
}

TEST(StepScheduleTest, AllowsARunWithoutSteps) {
  const StepSchedule schedule(3, 3, 0.1, 1);
  EXPECT_EQ(schedule.steps(), 0u);
  EXPECT_EQ(schedule.time(0), 3.0);
  EXPECT_TRUE(schedule.snapshot_due(0));
}

TEST(StepScheduleTest, StretchesAStepThatDividesToSixDigits) {
  const StepSchedule schedule(0, 1, 0.3333333, 1);
  EXPECT_EQ(schedule.steps(), 3u);
  EXPECT_EQ(schedule.dt(), 1.0 / 3.0);
}

TEST(StepScheduleTest, NamesTheNearestStepsWhenDtDoesNotDivide) {
  const std::string message = message_of(0, 1, 0.3, 1);
  EXPECT_NE(message.find("time.dt = 0.3"), std::string::npos) << message;
  EXPECT_NE(message.find("0.25 (4 steps)"), std::string::npos) << message;
  EXPECT_NE(message.find("0.3333333333 (3 steps)"), std::string::npos) << message;
  for (const double dt : {2.0, 1e9}) EXPECT_NE(message_of(0, 1, dt, 1).find("1 is the whole of it in one step"), std::string::npos) << dt;
}

TEST(StepScheduleTest, AnswersInTheUnitOfTheUser) {
  const UnitSystem units{3.0856775814913673e21, 1.988e43, 1e5};
  const ShownUnit unit = unit_of("3 Myr", Dimension::time, units);
  const auto in_code = [&](double myr) { return myr * unit.in_code_units; };
  const auto error = [&](double dt, double every) -> std::string {
    try {
      StepSchedule(0, in_code(100), in_code(dt), in_code(every), unit);
    } catch (const ConfigError& mistake) {
      return mistake.what();
    }
    return "";
  };
  EXPECT_NE(
      error(3, 0).find(
          "time.dt = 3 Myr does not divide the run from 0 Myr to 100 Myr: the nearest that divide it are 2.941176471 Myr (34 steps) and "
          "3.03030303 Myr (33 steps)"),
      std::string::npos)
      << error(3, 0);
  EXPECT_EQ(error(2.941176471, 0), "") << "what is said can be given";
  EXPECT_NE(error(2, 1).find("snapshot_every = 1 Myr is shorter than time.dt = 2 Myr"), std::string::npos) << error(2, 1);
  EXPECT_NE(StepSchedule(0, in_code(100), in_code(2), in_code(5), unit).snapshot_advice().find("= 5 Myr is no multiple of time.dt = 2 Myr"),
            std::string::npos);
}

TEST(StepScheduleTest, SaysThatSnapshotsAreFurtherApartThanTheRunIsLong) {
  EXPECT_NE(StepSchedule(0, 1, 0.1, 1.5).snapshot_advice().find("output.snapshot_every = 1.5 is longer than the run"), std::string::npos);
  EXPECT_EQ(StepSchedule(0, 1, 0.1, 1).snapshot_advice(), "");
  EXPECT_EQ(StepSchedule(0, 0, 0.1, 1).snapshot_advice(), "");
}

TEST(StepScheduleTest, RefusesImpossibleTimes) {
  EXPECT_NE(message_of(1, 0, 0.1, 1).find("time.end"), std::string::npos);
  EXPECT_NE(message_of(0, 1, -0.1, 1).find("time.dt"), std::string::npos);
  EXPECT_NE(message_of(0, 1e300, 1e-10, 1).find("steps"), std::string::npos);
}

TEST(StepScheduleTest, SaysWhereStepsDoNotMeetTheTimesOfSnapshots) {
  EXPECT_EQ(StepSchedule(0, 1, 0.1, 0).snapshot_advice(), "");
  EXPECT_EQ(StepSchedule(0, 1, 0.1, 0.3).snapshot_advice(), "");
  EXPECT_EQ(StepSchedule(0, 0, 0.1, 0.25).snapshot_advice(), "") << "no step";
  EXPECT_NE(StepSchedule(0, 1, 0.1, 0.25).snapshot_advice().find("no multiple of time.dt"), std::string::npos);
  EXPECT_NE(message_of(0, 1, 0.1, 0.05).find("output.snapshot_every = 0.05 is shorter than time.dt = 0.1"), std::string::npos);
  EXPECT_EQ(message_of(0, 1, 0.1, 0.1), "");
  EXPECT_EQ(message_of(0, 0, 0.1, 0.05), "") << "no step";
}

}  // namespace
}  // namespace grove
