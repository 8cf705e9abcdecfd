// Groups of targets: where they begin. Those that are divided since they had much work: divided_groups_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "kernels/walks/tree_walk.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

using tests::BuiltTree;
using tests::HostTree;

class TargetGroups : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
};

TEST_F(TargetGroups, DivideTheParticlesIntoRunsOfAtMostTheLargestGroup) {
  for (const auto& [name, particles] : tests::hard_systems()) {
    SCOPED_TRACE(name);
    const HostTree t(space, BuiltTree(space, particles));
    ASSERT_GE(t.group_start.size(), 2u);
    EXPECT_EQ(t.group_start.front(), 0u);
    EXPECT_EQ(t.group_start.back(), t.position.size());
    for (std::size_t g = 0; g + 1 < t.group_start.size(); ++g) {
      ASSERT_LT(t.group_start[g], t.group_start[g + 1]);
      ASSERT_LE(t.group_start[g + 1] - t.group_start[g], static_cast<std::uint32_t>(largest_group));
    }
  }
}

TEST_F(TargetGroups, KnowTheLeastOfTheirParticles) {
  auto systems = tests::hard_systems();
  // Its large levels have launches of their own.
  systems.push_back({"large", tests::plummer_sphere(150000, 2)});
  for (const auto& [name, particles] : systems) {
    SCOPED_TRACE(name);
    const BuiltTree built(space, particles);
    const auto start = tests::download(space, built.group_start);
    const auto magnitude = tests::download(space, built.last_acceleration), least = tests::download(space, built.group_least_acceleration);
    ASSERT_EQ(least.size() + 1, start.size());
    for (std::size_t g = 0; g < least.size(); ++g)
      ASSERT_EQ(least[g], *std::min_element(magnitude.begin() + start[g], magnitude.begin() + start[g + 1])) << "group " << g;
  }
  StepBuffer<BackEnd, float> none(space);
  tests::find_least_in_groups(space, {}, {}, none);
  EXPECT_EQ(none.size(), 0u);
}

TEST_F(TargetGroups, LeaveOutliersAlone) {
  auto system = tests::plummer_sphere(300, 3);
  system[111] = {1e7, -1e8, 1e6, 1};
  system[222].z = -1e7;
  const HostTree t(space, BuiltTree(space, system));
  const std::size_t usual = HostTree(space, BuiltTree(space, tests::plummer_sphere(300, 3))).group_start.size();
  EXPECT_LE(t.group_start.size(), usual + 6);
  for (std::size_t i = 0; i < t.id.size(); ++i) {
    if (t.id[i] != 111 && t.id[i] != 222) continue;
    for (const std::size_t start : {i, i + 1})
      EXPECT_TRUE(std::binary_search(t.group_start.begin(), t.group_start.end(), static_cast<std::uint32_t>(start)));
  }
}

/// The groups that begin in the children of a cell cost as little as any runs of these children that fit. A box that spans two octants in
/// so many dimensions costs 3, 4, 5 or 7.
TEST_F(TargetGroups, OfACellAreFewAndCompact) {
  constexpr std::uint32_t cost_of[] = {3, 4, 5, 7};
  int merged = 0, not_the_first_that_fit = 0;
  for (const int seed : {1, 2}) {
    const BuiltTree built(space, tests::plummer_sphere(20000, seed));
    const HostTree t(space, built);
    const auto key = tests::download(space, built.key);
    for (std::size_t c = 0; c < t.links.size(); ++c) {
      const CellLinks cell = t.links[c];
      const std::uint32_t largest = largest_group, n = cell.child_count;
      if (cell.particle_count <= largest || cell.particle_count > uneven * largest || n == 0) continue;
      int level = 0;
      while (c >= built.tree.level_offset[static_cast<std::size_t>(level) + 1]) ++level;
      const auto child = [&](std::uint32_t k) { return t.links[cell.first_child + k]; };
      // Bit k of `cuts`: a run begins at child k + 1.
      const auto cost = [&](std::uint32_t cuts) {
        std::uint32_t all_runs = 0;
        for (std::uint32_t k = 0; k < n;) {
          std::uint32_t particles = 0, any = 0, common = 7, children = 0;
          do {
            const auto octant = static_cast<std::uint32_t>(key[child(k).first_particle] >> bits_below(level + 1) & 7);
            particles += child(k).particle_count;
            any |= octant;
            common &= octant;
            ++children;
            ++k;
          } while (k < n && (cuts >> (k - 1) & 1) == 0);
          if (particles > largest && children > 1) return ~0U;
          if (particles <= largest) all_runs += cost_of[std::popcount(any & ~common)];
        }
        return all_runs;
      };
      std::uint32_t least = ~0U, of_groups = 0, of_first_fit = 0, in_run = 0;
      for (std::uint32_t cuts = 0; cuts < 1U << (n - 1); ++cuts) least = std::min(least, cost(cuts));
      for (std::uint32_t k = 0; k < n; ++k) {
        const bool begins = std::binary_search(t.group_start.begin(), t.group_start.end(), child(k).first_particle);
        if (k > 0 && begins) of_groups |= 1U << (k - 1);
        if (k > 0 && in_run + child(k).particle_count > largest) of_first_fit |= 1U << (k - 1), in_run = 0;
        in_run += child(k).particle_count;
      }
      ASSERT_EQ(cost(of_groups), least) << "cell " << c << ", seed " << seed;
      if (std::popcount(of_groups) < static_cast<int>(n) - 1) ++merged;
      if (cost(of_first_fit) > least) ++not_the_first_that_fit;
    }
  }
  EXPECT_GT(merged, 200);
  EXPECT_GT(not_the_first_that_fit, 20);
}

TEST_F(TargetGroups, AreWellFilledAndLieInOneCellTooLargeForAGroup) {
  const HostTree t(space, BuiltTree(space, tests::plummer_sphere(5000, 3)));
  EXPECT_LT(t.group_start.size(), 5000u / 24);
  for (std::size_t g = 0; g + 1 < t.group_start.size(); ++g) {
    // The smallest cell that holds the group and would not fit into one: its children that meet the group are whole.
    std::uint32_t cell = 0, next = 0;
    const auto holds = [&](const CellLinks& c) {
      return c.first_particle <= t.group_start[g] && t.group_start[g + 1] <= c.first_particle + c.particle_count;
    };
    do {
      cell = next;
      for (std::uint32_t k = 0; k < t.links[cell].child_count; ++k)
        if (holds(t.links[t.links[cell].first_child + k])) next = t.links[cell].first_child + k;
    } while (next != cell);
    bool begins = t.links[cell].first_particle == t.group_start[g];
    for (std::uint32_t k = 0; k < t.links[cell].child_count; ++k)
      begins |= t.links[t.links[cell].first_child + k].first_particle == t.group_start[g];
    EXPECT_TRUE(begins) << "group " << g << " begins inside a cell that fits into a group";
  }
}

TEST_F(TargetGroups, DoNotReachFromTheOutskirtsIntoTheCore) {
  for (const int seed : {1, 2, 3}) {
    const HostTree t(space, BuiltTree(space, tests::plummer_sphere(20000, seed)));
    for (std::size_t g = 0; g + 1 < t.group_start.size(); ++g) {
      Double3 low = position_of(t.position[t.group_start[g]]), high = low;
      for (std::uint32_t i = t.group_start[g]; i < t.group_start[g + 1]; ++i) {
        const Double4 p = t.position[i];
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
      }
      const auto inside = std::count_if(t.position.begin(), t.position.end(), [&](const Double4& p) {
        return low.x <= p.x && p.x <= high.x && low.y <= p.y && p.y <= high.y && low.z <= p.z && p.z <= high.z;
      });
      ASSERT_LE(inside, std::ptrdiff_t{uneven} * largest_group) << "group " << g << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace grove
