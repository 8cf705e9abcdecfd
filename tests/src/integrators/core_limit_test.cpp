// Which particles are the core.
#include "src/integrators/core_limit.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace grove::tests {
namespace {

using Particles = std::vector<std::uint64_t>;

TEST(CoreLimit, IsBeforeTheFewThatTakeMostSubSteps) {
  EXPECT_EQ(core_limit(Particles{40000, 60000, 320, 40, 8, 2}, 8192, 1, cpu_costs), 1);
  // A million particles on all rungs up to the ninth: those on the last ones are few enough.
  EXPECT_EQ(core_limit(Particles{200000, 300000, 300000, 200000, 100000, 50000, 20000, 1000, 100, 10}, 8192, 1, cpu_costs), 6);
}

TEST(CoreLimit, LeavesNoMoreThanThatToTheCore) {
  EXPECT_EQ(core_limit(Particles{40000, 60000, 320, 40, 8, 2}, 300, 1, cpu_costs), 2);
  EXPECT_EQ(core_limit(Particles{40000, 60000, 320, 40, 8, 2}, 1, 1, cpu_costs), std::nullopt);
  EXPECT_EQ(core_limit(Particles{40000, 60000, 320, 40, 8, 2}, 0, 1, cpu_costs), std::nullopt);
}

TEST(CoreLimit, IsNoneWhereThereIsNothingToSave) {
  EXPECT_EQ(core_limit(Particles{}, 8192, 1, cpu_costs), std::nullopt);
  EXPECT_EQ(core_limit(Particles{0, 0, 0}, 8192, 1, cpu_costs), std::nullopt);
  EXPECT_EQ(core_limit(Particles{1000}, 8192, 1, cpu_costs), std::nullopt);
  EXPECT_EQ(core_limit(Particles{0, 0, 3}, 8192, 1, cpu_costs), std::nullopt);
  // So many in the core that their pairs take longer than the tree.
  EXPECT_EQ(core_limit(Particles{10000, 90000}, 100000, 1, cpu_costs), std::nullopt);
}

TEST(CoreLimit, MayBeBeyondAllRungs) {
  EXPECT_EQ(core_limit(Particles{0, 0, 3}, 8192, 1, gpu_costs(1), true), all_rungs);
  EXPECT_EQ(core_limit(Particles{0, 0, 3}, 8192, 1, gpu_costs(1)), std::nullopt);
  EXPECT_EQ(core_limit(Particles{0, 0, 0, 0, 4096}, 8192, 1, gpu_costs(1), true), all_rungs);
  EXPECT_EQ(core_limit(Particles{0, 0, 0, 0, 4096}, 4095, 1, gpu_costs(1), true), std::nullopt);
  // So many that a launch for each sub-step takes no longer, unless few of them are active.
  EXPECT_EQ(core_limit(Particles{0, 0, 0, 0, 8192}, 8192, 1, gpu_costs(1), true), std::nullopt);
  EXPECT_EQ(core_limit(Particles{8000, 100, 50, 30, 12}, 8192, 1, gpu_costs(1), true), all_rungs);
  // On a CPU other sums over all pairs are faster.
  EXPECT_EQ(core_limit(Particles{0, 0, 3}, 8192, 1, cpu_costs, true), std::nullopt);
  EXPECT_EQ(core_limit(Particles{500, 500}, 8192, 1, cpu_costs, true), std::nullopt);
  EXPECT_EQ(core_limit(Particles{40000, 60000, 320, 40, 8, 2}, 8192, 1, cpu_costs, true), 1);
}

// Ranks share the particles, and each has the whole core.
TEST(CoreLimit, IsFinerOnManyRanks) {
  const Particles particles{400000, 600000, 4000, 400, 10};
  const auto one = core_limit(particles, 8192, 1, cpu_costs), many = core_limit(particles, 8192, 64, cpu_costs);
  ASSERT_TRUE(one.has_value());
  EXPECT_GT(many.value_or(99), *one);
}

}  // namespace
}  // namespace grove::tests
