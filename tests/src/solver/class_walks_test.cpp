// Which walks give the forces between classes of softening.
#include "src/solver/class_walks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace grove {
namespace {

using Classes = std::vector<bool>;

/// Checks that the walks cover each pair of classes once, with its length, and that the first one of each target sets its forces.
void expect_valid(const SofteningClasses& classes, const Classes& takes_walks, const std::vector<ClassWalk>& walks) {
  std::map<std::pair<int, int>, int> covered;
  for (const ClassWalk& walk : walks) {
    for (int t = walk.targets.begin; t < walk.targets.end; ++t) {
      EXPECT_EQ(walk.is_first(), !covered.contains({t, t})) << "target " << t;
      for (int c = walk.sources.begin; c < walk.sources.end; ++c) {
        ++covered[{t, c}];
        EXPECT_EQ(classes.of_pair(t, c), classes.of_pair(walk.targets.begin, walk.sources.begin)) << t << ", " << c;
      }
    }
    EXPECT_TRUE(!walk.is_first() || walk.targets.count() == 1);
  }
  for (int t = 0; t < classes.count(); ++t)
    for (int c = 0; c < classes.count(); ++c)
      EXPECT_EQ((covered[{t, c}]), (takes_walks[static_cast<std::size_t>(t)] ? 1 : 0)) << t << ", " << c;
}

std::size_t walk_count(const SofteningClasses& classes, const Classes& takes_walks) {
  const std::vector<ClassWalk> walks = class_walks(classes, takes_walks);
  expect_valid(classes, takes_walks, walks);
  return walks.size();
}

SofteningClasses classes_of(std::vector<double> length, std::vector<SofteningBetween> between = {}) {
  return {std::move(length), {}, std::move(between)};
}

TEST(ClassWalks, AreTwoForEachClassButOne) {
  for (int k = 1; k <= most_type_classes; ++k) {
    std::vector<double> length;
    for (int c = 0; c < k; ++c) length.push_back(c + 1);
    EXPECT_EQ(walk_count(classes_of(length), Classes(static_cast<std::size_t>(k), true)), 2 * k - 1) << k;
  }
}

TEST(ClassWalks, LeaveOutTargetsThatTakeNone) {
  EXPECT_EQ(walk_count(classes_of({1, 2, 3}), {false, true, true}), 3);
  EXPECT_EQ(walk_count(classes_of({1, 2, 3}), {true, false, true}), 4);
  EXPECT_EQ(walk_count(classes_of({1, 2, 3}), {true, true, false}), 4);
  EXPECT_EQ(walk_count(classes_of({1, 2, 3}), {false, false, false}), 0);
}

// A hole, stars that feel it with its own length, and a halo.
TEST(ClassWalks, OfPairsWithLengthsOfTheirOwnAreApart) {
  EXPECT_EQ(walk_count(classes_of({5, 50, 200}, {{0, 1, 5}}), {true, true, true}), 5);
  EXPECT_EQ(walk_count(classes_of({5, 50, 200}, {{0, 1, 5}}), {false, true, true}), 4);
  EXPECT_EQ(walk_count(classes_of({1, 2, 3}, {{0, 1, 7}, {0, 2, 8}, {1, 2, 9}}), {true, true, true}), 9) << "no two pairs are alike";
}

}  // namespace
}  // namespace grove
