// The choice between block steps and the same step for all.
#include "src/integrators/step_choice.hpp"

#include <gtest/gtest.h>

namespace grove::tests {
namespace {

/// A base step of 1,000 particles whose sub-steps take `all_s` where all get a force, else `some_s`.
RungCensus block_steps(double all_s, double some_s) {
  return {{.particles = 990, .sub_steps = 1, .updates = 1000, .seconds = all_s},
          {.particles = 5, .sub_steps = 1, .updates = 10, .seconds = some_s},
          {.particles = 5, .sub_steps = 2, .updates = 10, .seconds = 2 * some_s}};
}

TEST(StepChoice, BlockStepsWhereTheyAreFaster) {
  StepChoice choice;
  EXPECT_FALSE(choice.are_alike());
  EXPECT_TRUE(choice.text().empty());
  choice.look(block_steps(1, 0.1));
  EXPECT_FALSE(choice.are_alike());
  EXPECT_EQ(choice.text(),
            "block steps, 3.1 times faster than the same step for all: 1 % of the particles want steps of time.dt / 2 or shorter");
  // It is said once, as long as nothing changes.
  const std::string said = choice.text();
  choice.look(block_steps(1, 0.2));
  EXPECT_EQ(choice.text(), said);
}

TEST(StepChoice, TheSameStepWhereThatIsFaster) {
  StepChoice choice;
  choice.look(block_steps(1, 1.5));
  EXPECT_TRUE(choice.are_alike());
  EXPECT_EQ(choice.text(), "the same step for all particles, time.dt / 4, 1.4 times faster than block steps");
  // It looks again, and finds that things have changed.
  const RungCensus alike{{}, {}, {.particles = 1000, .sub_steps = 4, .updates = 4000, .seconds = 4}};
  for (std::uint64_t i = 0; i < StepChoice::looks_every; ++i) {
    EXPECT_TRUE(choice.are_alike()) << i;
    EXPECT_FALSE(choice.looks_again()) << i;
    choice.look(alike);
  }
  EXPECT_FALSE(choice.are_alike());
  EXPECT_TRUE(choice.looks_again());
  choice.look(block_steps(1, 0.1));
  EXPECT_FALSE(choice.are_alike());
  EXPECT_FALSE(choice.looks_again());
  EXPECT_EQ(choice.text().substr(0, 11), "block steps");
}

TEST(StepChoice, IsKeptInACheckpoint) {
  StepChoice choice, other;
  choice.look(block_steps(1, 1.5));
  choice.look({{.particles = 1000, .sub_steps = 1, .updates = 1000, .seconds = 1}});
  SavedState state;
  choice.save(state);
  other.restore(state);
  EXPECT_TRUE(other.are_alike());
  for (std::uint64_t i = 1; i < StepChoice::looks_every; ++i)
    other.look({{.particles = 1000, .sub_steps = 1, .updates = 1000, .seconds = 1}});
  EXPECT_TRUE(other.looks_again());
  StepChoice new_one;
  new_one.restore(SavedState{});
  EXPECT_FALSE(new_one.are_alike());
}

TEST(StepChoice, NothingToChooseWhereAllWantTheBaseStep) {
  StepChoice choice;
  choice.look({{.particles = 1000, .sub_steps = 1, .updates = 1000, .seconds = 1}});
  EXPECT_EQ(choice.text(), "the same step for all particles: none wants one that is shorter than time.dt");
  // Until some want shorter ones.
  choice.look(block_steps(1, 0.1));
  EXPECT_EQ(choice.text().substr(0, 11), "block steps");
}

TEST(StepChoice, ASmallGainIsNoReasonToChange) {
  StepChoice choice;
  choice.look(block_steps(1, 0.95));  // 4 / 3.85
  EXPECT_FALSE(choice.are_alike());
  choice.look(block_steps(1, 1.05));  // 4 / 4.15
  EXPECT_FALSE(choice.are_alike());
  choice.look(block_steps(1, 1.5));
  EXPECT_TRUE(choice.are_alike());
}

}  // namespace
}  // namespace grove::tests
