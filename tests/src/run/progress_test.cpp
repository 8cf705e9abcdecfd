#include "src/run/observers/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/temporary_directory.hpp"

namespace grove {
namespace {

class ProgressTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory;
  std::FILE* out = std::fopen(directory.file("out").c_str(), "w");
  ~ProgressTest() override { std::fclose(out); }

  std::string shown() const { return text_of_file(directory.file("out")); }
  std::size_t count(char c) const {
    const std::string text = shown();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
  }
};

TEST_F(ProgressTest, WritesAtMostOneLineForEveryTenPercentOfAFastRun) {
  Progress progress(out, ProgressStyle::lines, 1000);
  for (std::uint64_t step = 1; step <= 1000; ++step) progress.update({step, 0.1, 0.001 * static_cast<double>(step), 0.001, 100});
  EXPECT_EQ(count('\n'), 10u);
  EXPECT_EQ(count('\r'), 0u);
}

TEST_F(ProgressTest, WritesALineAfterASecondOfASlowRunAndThenEveryThirty) {
  Progress progress(out, ProgressStyle::lines, 100000);
  const auto take_steps = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t step = first; step <= last; ++step) progress.update({step, 0.1, 0.25 * static_cast<double>(step), 0.25, 100});
  };
  take_steps(1, 3);
  EXPECT_EQ(count('\n'), 0u);
  take_steps(4, 4);
  EXPECT_EQ(count('\n'), 1u) << "the user wants to know how long it will take";
  take_steps(5, 400);
  EXPECT_EQ(count('\n'), 4u) << "at 1, 31, 61 and 91 s";
}

TEST_F(ProgressTest, ShowsStepTimeSpeedAndRemainingTime) {
  Progress progress(out, ProgressStyle::lines, 4);
  progress.update({1, 0.25, 60, 50, 600000000});
  progress.update({2, 0.5, 120, 50, 600000000});
  const std::string text = shown();
  EXPECT_NE(text.find("[########--------]  50 %  step 2/4  t = 0.5  12.0 M particles/s  ETA 2:00\n"), std::string::npos) << text;
}

TEST_F(ProgressTest, ShowsPhysicalTimesWithTheirUnit) {
  // kpc and km/s: a unit of time is 977.8 Myr.
  Progress progress(out, ProgressStyle::lines, 2, 0, {3.0856775814913674e21, 1.988e43, 1e5});
  progress.update({1, 2.045, 60, 50, 1000});
  EXPECT_NE(shown().find("step 1/2  t = 2 Gyr"), std::string::npos) << shown();
}

TEST_F(ProgressTest, RewritesOneLineOnATerminal) {
  Progress progress(out, ProgressStyle::in_place, 100);
  for (std::uint64_t step = 1; step <= 100; ++step) progress.update({step, 0.1, 0.02 * static_cast<double>(step), 0.02, 100});
  progress.finish();
  EXPECT_EQ(count('\n'), 1u);
  EXPECT_GE(count('\r'), 15u);
  EXPECT_LE(count('\r'), 25u);
  EXPECT_NE(shown().find("100 %"), std::string::npos);
}

TEST_F(ProgressTest, SaysNothingWhenSilent) {
  Progress progress(out, ProgressStyle::silent, 2);
  progress.update({1, 0.1, 40, 40, 100});
  progress.update({2, 0.2, 80, 40, 100});
  progress.finish();
  EXPECT_EQ(shown(), "");
}

}  // namespace
}  // namespace grove
