// Which types of particles are one class of softening.
#include "kernels/gravity/softening_classes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace grove {
namespace {

SofteningClasses classes_of(std::vector<double> of_type, std::vector<SofteningBetween> between = {}) {
  GravityParameters gravity;
  gravity.softening_of_type = std::move(of_type);
  gravity.softening_between_types = std::move(between);
  return softening_classes(gravity);
}

double of_types(const SofteningClasses& classes, int a, int b) { return classes.of_pair(classes.of_type.of[a], classes.of_type.of[b]); }

TEST(SofteningClasses, AreTheLengthsWithoutOthersBetweenPairs) {
  const SofteningClasses classes = classes_of({0.3, 0.1, 0.3, 0.2, 0.1, 0.1});
  EXPECT_EQ(classes.length, (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_TRUE(classes.between.empty());
  EXPECT_EQ(of_types(classes, 0, 1), 0.3);
  EXPECT_EQ(of_types(classes, 4, 5), 0.1);
  EXPECT_EQ(of_types(classes, 3, 1), 0.2);
}

// Stars of three components feel a hole alike: they are one class, and the halo, which does not, is another.
TEST(SofteningClasses, AreTypesWhosePairsAreSoftenedAlike) {
  const SofteningClasses classes = classes_of({5, 200, 50, 50, 50, 5}, {{2, 5, 5}, {5, 3, 5}, {4, 5, 5}, {0, 4, 50}});
  EXPECT_EQ(classes.count(), 4) << "type 0 has the hole's length, but not its pairs";
  EXPECT_EQ(classes.of_type.of[2], classes.of_type.of[3]);
  EXPECT_EQ(classes.of_type.of[2], classes.of_type.of[4]);
  EXPECT_EQ(of_types(classes, 3, 5), 5);
  EXPECT_EQ(of_types(classes, 5, 4), 5);
  EXPECT_EQ(of_types(classes, 2, 4), 50);
  EXPECT_EQ(of_types(classes, 1, 5), 200);
  EXPECT_EQ(of_types(classes, 1, 1), 200);
  EXPECT_EQ(of_types(classes, 5, 5), 5);
  EXPECT_EQ(of_types(classes, 0, 2), 50);
}

// Two types of equal length of which one alone has a length of its own with a third.
TEST(SofteningClasses, AreDividedWhereOneOfTwoTypesHasALengthOfItsOwn) {
  const SofteningClasses classes = classes_of({1, 1, 1, 1, 1, 1}, {{1, 5, 0.1}});
  EXPECT_EQ(classes.count(), 3);
  EXPECT_EQ(std::set<int>({classes.of_type.of[0], classes.of_type.of[1], classes.of_type.of[5]}).size(), 3U);
  EXPECT_EQ(classes.of_type.of[0], classes.of_type.of[4]);
  EXPECT_EQ(of_types(classes, 1, 5), 0.1);
  EXPECT_EQ(of_types(classes, 0, 5), 1);
  EXPECT_EQ(of_types(classes, 1, 1), 1);
}

}  // namespace
}  // namespace grove
