// The targets of the walk of fmm: its cells and groups, and how they lie below each other.
#include "kernels/tree/fmm_targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/gravity/gravity_law.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

using tests::BuiltTree;
using tests::plummer_sphere;

/// The targets of a walk on the host.
struct HostTargets {
  std::vector<std::uint32_t> cell, parent, group_start, group_parent;

  HostTargets(BackEnd& space, const FmmTargets<BackEnd>& targets)
      : group_start(tests::download<std::uint32_t>(space, targets.group_start())) {
    const FmmTargetView v = targets.view();
    cell = tests::download<std::uint32_t>(space, {v.cell, v.cell_count});
    parent = tests::download<std::uint32_t>(space, {v.parent, v.cell_count});
    group_parent = tests::download<std::uint32_t>(space, {v.group_parent, v.group_count});
  }
};

class FmmTargetsTest : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  FmmTargets<BackEnd> targets{space};

  /// Calls check(tree, targets) for each hard system, with memory of the one before.
  template <class Check>
  void for_each_system(Check check) {
    for (const auto& [name, particles] : tests::hard_systems()) {
      SCOPED_TRACE(name);
      const BuiltTree built(space, particles, nullptr, GravityLaw({}).expansion_form());
      built.find_targets(space, targets);
      check(tests::HostTree(space, built), HostTargets(space, targets));
    }
  }
};

TEST_F(FmmTargetsTest, CellsAreThoseTooLargeForAGroupLevelByLevel) {
  for_each_system([this](const tests::HostTree& tree, const HostTargets& t) {
    std::vector<std::uint32_t> large;
    LevelOffsets offset{};
    for (std::uint32_t c = 0; c < tree.links.size(); ++c)
      if (tree.links[c].particle_count > static_cast<std::uint32_t>(largest_fmm_group<BackEnd>)) {
        large.push_back(c);
        for (auto l = static_cast<std::size_t>(tree.level_of(c)) + 1; l < offset.size(); ++l) ++offset[l];
      }
    EXPECT_EQ(t.cell, large);
    EXPECT_EQ(targets.level_offset(), offset);
  });
}

TEST_F(FmmTargetsTest, CellsAreChildrenOfTheirParents) {
  for_each_system([](const tests::HostTree& tree, const HostTargets& t) {
    for (std::size_t i = 0; i < t.cell.size(); ++i) {
      if (t.cell[i] == 0) {
        ASSERT_EQ(t.parent[i], no_parent);
        continue;
      }
      ASSERT_LT(t.parent[i], i);
      const CellLinks& above = tree.links[t.cell[t.parent[i]]];
      ASSERT_GE(t.cell[i], above.first_child);
      ASSERT_LT(t.cell[i], above.first_child + above.child_count);
    }
  });
}

/// Groups divide all particles, and the cell above each is the smallest target cell that holds it.
void check_groups(const std::vector<CellLinks>& links, const HostTargets& t) {
  ASSERT_GE(t.group_start.size(), 2u);
  ASSERT_EQ(t.group_start.size(), t.group_parent.size() + 1);
  EXPECT_EQ(t.group_start.front(), 0u);
  EXPECT_EQ(t.group_start.back(), links[0].particle_count);
  const auto holds = [&](std::uint32_t target, std::uint32_t begin, std::uint32_t end) {
    const CellLinks& c = links[t.cell[target]];
    return c.first_particle <= begin && end <= c.first_particle + c.particle_count;
  };
  for (std::size_t g = 0; g < t.group_parent.size(); ++g) {
    const std::uint32_t begin = t.group_start[g], end = t.group_start[g + 1];
    ASSERT_LT(begin, end);
    ASSERT_LE(end - begin, static_cast<std::uint32_t>(largest_fmm_group<BackEnd>));
    std::uint32_t smallest = no_parent;  // a deeper target cell has a larger number
    for (std::uint32_t c = 0; c < t.cell.size(); ++c)
      if (holds(c, begin, end)) smallest = c;
    ASSERT_EQ(t.group_parent[g], smallest) << "group " << g;
  }
}

TEST_F(FmmTargetsTest, GroupsDivideTheParticlesAndLieInTheSmallestTargetCellAbove) {
  for_each_system([](const tests::HostTree& tree, const HostTargets& t) { check_groups(tree.links, t); });
}

TEST_F(FmmTargetsTest, GroupsThatBeginInsideALeafLieInTheSmallestTargetCellAbove) {
  for (const auto& [name, particles] : tests::hard_systems()) {
    SCOPED_TRACE(name);
    const BuiltTree built(space, particles, nullptr, GravityLaw({}).expansion_form());
    KeyCube smaller_cube = built.frame.cube;  // most of what is outside has neighbours in its leaf
    smaller_cube.edge *= 0.51;
    const auto tree_level = built.levels_for_fmm(space);
    separate_outliers<BackEnd>(space, led_positions(built.particles, 0), smaller_cube, tree_level.view());
    targets.build(space, built.tree, tree_level.view(), built.particles.work.view());
    check_groups(tests::download(space, built.tree.links), HostTargets(space, targets));
  }
}

TEST_F(FmmTargetsTest, GroupsOfSeveralClassesLieInTheSmallestTargetCellAbove) {
  for (const std::size_t n : {30U, 70U, 5000U})
    for (const std::size_t classes : {2U, 3U}) {
      const BuiltTree built(space, plummer_sphere(n, 5));
      std::vector<std::uint64_t> keys = tests::download(space, built.key);
      // The last class is so small that each of its particles is a group.
      for (std::size_t i = 0; i < n; ++i)
        keys[i] = key_in_class(keys[i], static_cast<std::uint32_t>(i % 2600 == 7 ? classes - 1 : i % (classes - 1)));
      std::sort(keys.begin(), keys.end());
      Tree<BackEnd> tree(space, GravityLaw({}).expansion_form());
      tree.class_count = static_cast<int>(classes);
      const auto sorted = tests::upload(space, keys);
      const View<std::uint8_t> tree_level = built.particles.tree_level.view();
      build_tree<BackEnd>(space, sorted.view(), tree, tree_level);
      choose_target_groups<BackEnd>(space, tree, sorted.view(), largest_fmm_group<BackEnd>, tree_level);
      targets.build(space, tree, tree_level, built.particles.work.view());
      const HostTargets t(space, targets);
      check_groups(tests::download(space, tree.links), t);
      const auto first_group = [&](std::size_t c) {
        return std::lower_bound(t.group_start.begin(), t.group_start.end(), tree.class_begin[c]);
      };
      for (std::size_t c = 0; c < classes; ++c) EXPECT_EQ(*first_group(c), tree.class_begin[c]) << "a group of two classes";
      EXPECT_EQ(t.group_start.end() - first_group(classes - 1), static_cast<std::ptrdiff_t>(n - tree.class_begin[classes - 1] + 1));
    }
}

TEST_F(FmmTargetsTest, TellWhichGroupsHadMoreWorkThanOthers) {
  // Only a GPU needs the list.
  if constexpr (BackEnd::on_gpu) {
    BuiltTree built(space, plummer_sphere(60000, 1), nullptr, GravityLaw({}).expansion_form());
    const auto slow_groups = [&](const std::vector<std::uint32_t>& work) {
      copy_from_host<BackEnd, std::uint32_t>(space, work, built.particles.work.view());
      built.find_targets(space, targets);
      const FmmTargetView v = targets.view();
      const auto marks = tests::download<std::uint8_t>(space, {v.is_slow, v.group_count});
      const auto count = tests::download<std::uint32_t>(space, {v.slow_group_count, 1});
      auto slow = tests::download<std::uint32_t>(space, {v.slow_groups, count[0]});
      std::sort(slow.begin(), slow.end());
      for (std::uint32_t g = 0; g < v.group_count; ++g) EXPECT_EQ(marks[g] == 1, std::binary_search(slow.begin(), slow.end(), g));
      return slow;
    };
    std::vector<std::uint32_t> work(60000, 1000);
    EXPECT_TRUE(slow_groups(work).empty()) << "all have the same work";
    const std::vector<std::uint32_t> group_start = HostTargets(space, targets).group_start;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t g = 0; g + 1 < group_start.size(); ++g) {
      // The mean is about 1050.
      const std::uint32_t its_work = g % 20 == 3 ? 2000 : g % 20 == 4 ? 1100 : 1000;
      if (its_work == 2000) expected.push_back(g);
      std::fill(work.begin() + group_start[g], work.begin() + group_start[g + 1], its_work);
    }
    EXPECT_EQ(slow_groups(work), expected);
  } else {
    GTEST_SKIP() << "a CPU takes groups in their order";
  }
}

TEST_F(FmmTargetsTest, OfNoParticlesAreNone) {
  const BuiltTree built(space, {}, nullptr, GravityLaw({}).expansion_form());
  built.find_targets(space, targets);
  EXPECT_EQ(targets.view().cell_count, 0u);
  EXPECT_EQ(targets.view().group_count, 0u);
}

}  // namespace
}  // namespace grove
