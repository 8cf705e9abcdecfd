// Where groups of targets are divided since they had much work. The forces on them: fmm_walk_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/particles/work.hpp"
#include "kernels/tree/fmm_targets.hpp"
#include "kernels/tree/tree_build.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

using tests::BuiltTree;

class DividedGroups : public testing::Test {
 protected:
  static constexpr std::uint32_t largest = largest_fmm_group<BackEnd>;
  static constexpr std::uint32_t targets_of_part = largest * part_of_largest / 32;
  static constexpr std::size_t count = 20000;

  static std::ptrdiff_t parts_of(std::uint32_t targets) { return std::max(1U, targets / targets_of_part); }

  BackEnd space = tests::make_space();
  BuiltTree built{space, tests::plummer_sphere(count, 3), nullptr, GravityLaw({}).expansion_form()};
  FmmTargets<BackEnd> targets{space};

  DividedGroups() { build(built.key.view()); }

  void build(View<const std::uint64_t> keys) {
    build_tree<BackEnd>(space, keys, built.tree, built.particles.tree_level.view());
    choose_target_groups<BackEnd>(space, built.tree, keys, largest, built.particles.tree_level.view());
  }

  /// The groups: the first particle of each, and the end.
  std::vector<std::uint32_t> groups() {
    targets.build(space, built.tree, built.particles.tree_level.view(), built.particles.work.view());
    return tests::download<std::uint32_t>(space, targets.group_start());
  }
  void divide(const std::vector<std::uint32_t>& work) {
    const auto on_device = tests::upload(space, work);
    divide_busy_groups<BackEnd>(space, largest, on_device.view(), built.particles.tree_level.view());
  }
  std::vector<std::uint8_t> levels() { return tests::download(space, built.particles.tree_level); }
};

TEST_F(DividedGroups, AreThoseWithSeveralTimesTheMeanWork) {
  const auto usual = groups();
  std::vector<std::uint32_t> work(count, 10000);
  divide(work);
  EXPECT_EQ(groups(), usual) << "all have the same work";

  // One group in fifty has twelve times the work of others, and one twice as much.
  const auto is_busy = [](std::size_t g) { return g % 50 == 7; };
  for (std::size_t g = 0; g + 1 < usual.size(); ++g)
    std::fill(work.begin() + usual[g], work.begin() + usual[g + 1], is_busy(g) ? 120000U : g % 50 == 8 ? 20000U : 10000U);
  divide(work);
  const auto divided = groups();
  EXPECT_GT(divided.size(), usual.size());
  for (std::size_t g = 0; g + 1 < usual.size(); ++g) {
    const auto begin = std::lower_bound(divided.begin(), divided.end(), usual[g]);
    const auto end = std::lower_bound(divided.begin(), divided.end(), usual[g + 1]);
    ASSERT_EQ(*begin, usual[g]);
    ASSERT_EQ(*end, usual[g + 1]);
    ASSERT_EQ(end - begin, is_busy(g) ? parts_of(usual[g + 1] - usual[g]) : 1) << "group " << g;
    for (auto part = begin; part != end; ++part) ASSERT_TRUE(end - begin == 1 || part[1] - part[0] >= targets_of_part) << "group " << g;
  }
}

TEST_F(DividedGroups, StayDividedWhileMostOfTheirParticlesStay) {
  const auto usual = groups();
  // Parts have little work. Of every third group all, of every third just half of the particles were in parts.
  std::vector<std::uint32_t> work(count, 10000);
  for (std::size_t g = 0; g + 1 < usual.size(); ++g)
    for (std::uint32_t i = usual[g]; i < usual[g + 1]; ++i)
      if (g % 3 == 0 || (g % 3 == 1 && 2 * (i - usual[g] + 1) <= usual[g + 1] - usual[g])) work[i] = 2000 | in_part_bit;
  divide(work);
  const auto divided = groups();
  for (std::size_t g = 0; g + 1 < usual.size(); ++g) {
    const auto parts =
        std::lower_bound(divided.begin(), divided.end(), usual[g + 1]) - std::lower_bound(divided.begin(), divided.end(), usual[g]);
    ASSERT_EQ(parts, g % 3 == 0 ? parts_of(usual[g + 1] - usual[g]) : 1) << "group " << g;
  }
}

TEST_F(DividedGroups, MayHaveWorkOf64BitsInAll) {
  const auto usual = groups();
  std::vector<std::uint32_t> work(count, 2);
  std::fill(work.begin() + usual[5], work.begin() + usual[9], 4000000000U);
  divide(work);
  EXPECT_GT(groups().size(), usual.size());
}

// Of few particles of a class, groups are smaller: down to one particle, which cannot be divided.
TEST_F(DividedGroups, OfASmallClassHaveItsSize) {
  std::vector<std::uint64_t> keys = tests::download(space, built.key);
  for (std::size_t i = 0; i < count; ++i) keys[i] = key_in_class(keys[i], i % 100 == 7 ? 1 : 0);
  std::sort(keys.begin(), keys.end());
  built.tree.class_count = 2;
  build(tests::upload(space, keys).view());
  const auto usual = groups();
  const std::uint32_t second = built.tree.class_begin[1], limit = group_sizes(built.tree, count, largest).at(second);
  ASSERT_LT(limit, largest);
  std::vector<std::uint32_t> work(count, 2);
  std::fill(work.begin() + second, work.end(), 1000);
  divide(work);
  const auto divided = groups();
  const auto starts = [&](std::uint32_t i) { return std::binary_search(divided.begin(), divided.end(), i); };
  for (std::size_t g = 0; g + 1 < usual.size(); ++g) {
    ASSERT_TRUE(starts(usual[g]));
    std::ptrdiff_t parts = 0;
    for (std::uint32_t i = usual[g]; i < usual[g + 1]; ++i) parts += starts(i) ? 1 : 0;
    ASSERT_EQ(parts, usual[g] < second ? 1 : parts_of(usual[g + 1] - usual[g])) << "group " << g;
  }
}

TEST_F(DividedGroups, OfFewOrNoParticlesAreWhole) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    for (const std::uint32_t each : {0U, unknown_work, ~0U - in_part_bit}) {
      const auto work = tests::upload(space, std::vector<std::uint32_t>(n, each));
      auto level = tests::upload(space, std::vector<std::uint8_t>(n, 0));
      divide_busy_groups<BackEnd>(space, largest, work.view(), level.view());
      for (const std::uint8_t l : tests::download(space, level)) EXPECT_FALSE(divides_group(l));
    }
  }
  // Work that is not known at all.
  const auto usual = groups();
  divide(std::vector<std::uint32_t>(count, 0));
  EXPECT_EQ(groups(), usual);
}

TEST_F(DividedGroups, AreTheSameOfATreeThatIsLinkedAgainAndWholeInANewOne) {
  const auto usual = groups();
  std::vector<std::uint32_t> work(count, 100);
  std::fill(work.begin() + 5000, work.begin() + 5400, 5000);
  const auto levels_before = levels();
  divide(work);
  const auto divided = groups();
  EXPECT_GT(divided.size(), usual.size() + 20);
  const auto links = tests::download(space, built.tree.links);

  rebuild_tree<BackEnd>(space, built.particles.tree_level.view(), built.tree);
  EXPECT_EQ(groups(), divided);
  const auto again = tests::download(space, built.tree.links);
  ASSERT_EQ(again.size(), links.size());
  for (std::size_t c = 0; c < links.size(); ++c) ASSERT_EQ(again[c].first_particle, links[c].first_particle) << "cell " << c;
  const auto levels_now = levels();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(level_in(levels_now[i]), level_in(levels_before[i])) << "particle " << i;

  build(built.key.view());
  EXPECT_EQ(groups(), usual);
}

}  // namespace
}  // namespace grove
