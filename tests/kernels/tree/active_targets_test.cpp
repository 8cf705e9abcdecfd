// Which groups and target cells have active particles.
#include "kernels/tree/active_targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/gravity/gravity_law.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

using Numbers = std::vector<std::uint32_t>;

class ActiveTargetsTest : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  FmmTargets<BackEnd> targets{space};
  ActiveTargetLists<BackEnd> lists{space};
  Numbers group_start;

  /// Calls check(marks of the active particles) for each hard system: none of them, one, some, all.
  template <class Check>
  void for_each_choice(Check check) {
    for (const auto& [name, particles] : tests::hard_systems()) {
      const tests::BuiltTree built(space, particles, nullptr, GravityLaw({}).expansion_form());
      built.find_targets(space, targets);
      group_start = tests::download<std::uint32_t>(space, targets.group_start());
      for (const std::size_t stride : {std::size_t{0}, particles.size(), std::size_t{7}, std::size_t{1}}) {
        SCOPED_TRACE(name + ", every " + std::to_string(stride));
        std::vector<std::uint8_t> marks(particles.size());
        if (stride > 0)
          for (std::size_t i = stride / 2; i < marks.size(); i += stride) marks[i] = 1;
        check(marks);
      }
    }
  }
  Numbers groups_of(const ActiveTargets& some) { return tests::download<std::uint32_t>(space, some.groups); }
  /// The groups with an active particle among [begin, end).
  Numbers expected_groups(const std::vector<std::uint8_t>& marks, std::uint32_t begin, std::uint32_t end) const {
    Numbers found;
    for (std::uint32_t g = 0; g + 1 < group_start.size(); ++g) {
      const bool is_active = std::any_of(marks.begin() + group_start[g], marks.begin() + group_start[g + 1], [](auto m) { return m != 0; });
      if (is_active && group_start[g] < end && group_start[g + 1] > begin) found.push_back(g);
    }
    return found;
  }
};

TEST_F(ActiveTargetsTest, HaveTheGroupsWithActiveParticles) {
  for_each_choice([this](const std::vector<std::uint8_t>& marks) {
    const auto active = tests::upload(space, marks);
    lists.find(space, targets.group_start(), active.data());
    EXPECT_TRUE(lists.all().is_list);
    EXPECT_EQ(groups_of(lists.all()), expected_groups(marks, 0, static_cast<std::uint32_t>(marks.size())));
  });
}

TEST_F(ActiveTargetsTest, OfPartsHaveTheirGroups) {
  for_each_choice([this](const std::vector<std::uint8_t>& marks) {
    const auto n = static_cast<std::uint32_t>(marks.size());
    const auto active = tests::upload(space, marks);
    const std::uint32_t first = group_start[group_start.size() / 3], second = group_start[group_start.size() / 2];
    const ParticleParts parts{{0, first, first, second, n}, 4};
    lists.find(space, targets.group_start(), active.data(), parts);
    for (int p = 0; p < parts.count; ++p)
      for (int end_part = p; end_part <= parts.count; ++end_part) {
        const std::uint32_t begin = parts.begin[static_cast<std::size_t>(p)], end = parts.begin[static_cast<std::size_t>(end_part)];
        EXPECT_EQ(groups_of(lists.of_parts(p, end_part)), begin < end ? expected_groups(marks, begin, end) : Numbers{})
            << p << " to " << end_part;
      }
  });
}

TEST_F(ActiveTargetsTest, AllOfAPartAreActiveWithoutMarks) {
  for_each_choice([this](const std::vector<std::uint8_t>& marks) {
    const auto n = static_cast<std::uint32_t>(marks.size());
    const std::uint32_t middle = group_start[group_start.size() / 2];
    lists.find(space, targets.group_start(), nullptr, {{0, middle, n}, 2});
    EXPECT_EQ(groups_of(lists.of_parts(1, 2)), middle < n ? expected_groups(std::vector<std::uint8_t>(n, 1), middle, n) : Numbers{});
    EXPECT_TRUE(lists.of_parts(1, 2).wants(n - 1));
  });
}

TEST_F(ActiveTargetsTest, HaveTheCellsAboveTheirGroups) {
  for_each_choice([this](const std::vector<std::uint8_t>& marks) {
    const auto active = tests::upload(space, marks);
    lists.find(space, targets.group_start(), active.data());
    const ActiveTargets some = lists.with_cells(space, targets, lists.all());
    const FmmTargetView view = targets.view();
    const Numbers parent = tests::download<std::uint32_t>(space, {view.parent, view.cell_count});
    const Numbers group_parent = tests::download<std::uint32_t>(space, {view.group_parent, view.group_count});
    Numbers above(view.cell_count, 0), listed;
    for (const std::uint32_t g : groups_of(some))
      for (std::uint32_t c = group_parent[g]; c != no_parent; c = parent[c]) above[c] = 1;
    EXPECT_EQ(tests::download<std::uint32_t>(space, {some.cell, view.cell_count}), above);
    if (!BackEnd::on_gpu) return;
    for (std::uint32_t c = 0; c < view.cell_count; ++c)
      if (above[c] != 0) listed.push_back(c);
    const std::uint32_t count = tests::download<std::uint32_t>(space, {some.cell_count, 1}).front();
    EXPECT_EQ(tests::download<std::uint32_t>(space, {some.cells, count}), listed);
  });
}

}  // namespace
}  // namespace grove
