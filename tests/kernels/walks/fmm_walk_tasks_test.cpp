// How the walk of fmm on the CPU is divided among threads.
#include "kernels/walks/fmm_walk_tasks.hpp"

#include <gtest/gtest.h>

#include "kernels/gravity/gravity_law.hpp"
#include "tests/support/built_tree.hpp"

namespace grove {
namespace {

using tests::BuiltTree;

class FmmTasksTest : public ::testing::Test {
 protected:
  BackEnd space = tests::make_space();
  FmmTargets<BackEnd> targets{space};

  /// Calls check(tasks, links of the tree) for each hard system and several numbers of threads.
  template <class Check>
  void for_each_division(Check check) {
    for (const auto& [name, particles] : tests::hard_systems())
      for (const std::size_t threads : {1U, 2U, 128U}) {
        SCOPED_TRACE(name + ", threads " + std::to_string(threads));
        const BuiltTree built(space, particles, nullptr, GravityLaw({}).expansion_form());
        built.find_targets(space, targets);
        check(FmmTasks(targets.view(), built.tree.links.data(), threads), built.tree.links.data());
      }
  }
};

TEST_F(FmmTasksTest, EveryTargetIsInExactlyOneTask) {
  for_each_division([this](const FmmTasks& division, const CellLinks* links) {
    const FmmTargetView t = targets.view();
    std::vector<int> tasks_of_group(t.group_count), tasks_of_cell(t.cell_count);
    for (const FmmTask& task : division.tasks) {
      if (task.kind == FmmTask::group) ++tasks_of_group[task.number];
      if (task.kind == FmmTask::large_cell) ++tasks_of_cell[division.large[task.number]];
      if (task.kind != FmmTask::subtree) continue;
      const CellLinks& top = links[t.cell[task.number]];
      const std::uint32_t begin = top.first_particle, end = begin + top.particle_count;
      for (std::uint32_t g = 0; g < t.group_count; ++g)
        if (t.group_start[g] >= begin && t.group_start[g] < end) ++tasks_of_group[g];
      for (std::uint32_t c = 0; c < t.cell_count; ++c) {
        std::uint32_t above = c;
        while (above != no_parent && above != task.number) above = t.parent[above];
        if (above == task.number) ++tasks_of_cell[c];
      }
    }
    EXPECT_EQ(std::count(tasks_of_group.begin(), tasks_of_group.end(), 1), t.group_count);
    EXPECT_EQ(std::count(tasks_of_cell.begin(), tasks_of_cell.end(), 1), t.cell_count);
  });
}

TEST_F(FmmTasksTest, NoTaskComesBeforeTheCellAboveIt) {
  for_each_division([this](const FmmTasks& division, const CellLinks*) {
    const FmmTargetView t = targets.view();
    std::vector<bool> has_come(t.cell_count);
    for (const FmmTask& task : division.tasks) {
      const std::uint32_t cell = task.kind == FmmTask::large_cell ? division.large[task.number] : task.number;
      const std::uint32_t above = task.kind == FmmTask::group ? t.group_parent[cell] : t.parent[cell];
      ASSERT_TRUE(above == no_parent || has_come[above]);
      if (task.kind == FmmTask::large_cell) has_come[cell] = true;
    }
  });
}

TEST_F(FmmTasksTest, ManyThreadsHaveSeveralTasksEachAndNoLongOne) {
  const auto particles = tests::plummer_sphere(30000, 1);
  const BuiltTree built(space, particles, nullptr, GravityLaw({}).expansion_form());
  built.find_targets(space, targets);
  const FmmTasks division(targets.view(), built.tree.links.data(), 64);
  EXPECT_GT(division.tasks.size(), 10 * 64u);
  const auto cell = tests::download<std::uint32_t>(space, {targets.view().cell, targets.view().cell_count});
  const auto links = tests::download(space, built.tree.links);
  for (const FmmTask& task : division.tasks)
    if (task.kind == FmmTask::subtree) {
      EXPECT_LE(links[cell[task.number]].particle_count, 64U);
    }
}

}  // namespace
}  // namespace grove
