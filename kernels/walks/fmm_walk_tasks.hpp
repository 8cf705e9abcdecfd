// How the walk of `fmm` on the CPU is divided into tasks, each of which one thread does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/tree/fmm_targets.hpp"

namespace grove {

/// Where what a target cell hands down is: a number in the pool of the thread that walks its subtree, or among the large cells.
struct Place {
  std::uint32_t number : 31, is_large : 1;
};

/// A large target cell by itself, all below another one (a subtree), or a group right below a large cell.
struct FmmTask {
  enum Kind : std::uint8_t { large_cell, subtree, group };

  Kind kind;
  std::uint32_t number;  ///< of the large cell in FmmTasks::large, of the target cell at the top of the subtree, or of the group
};

/// The tasks of a walk. What they compute does not depend on the number of threads.
struct FmmTasks {
  // A subtree has few enough particles for what it hands down to stay in the cache. With fewer particles, a list that is handed down serves
  // too few for its task.
  static constexpr std::size_t largest_subtree = 4096, smallest_subtree = 64;
  /// So many subtrees for each thread, or more, since few of them are as large as they may be; fewer where they would be too small.
  static constexpr std::size_t subtrees_a_thread = 16;

  /// Large cells, level by level, so that none comes before the cell above it; then subtrees along the Morton curve, so that threads read
  /// the same sources at about the same time; then groups, which are short.
  std::vector<FmmTask> tasks;
  std::vector<std::uint32_t> large;           ///< target cells
  std::vector<Place> place;                   ///< [target cells] of those that are large; the walks of subtrees set the others
  std::vector<std::uint32_t> children_end;    ///< [target cells] end of the target cells below, which are consecutive
  std::vector<std::uint32_t> children_count;  ///< [target cells]

  /// `links` are those of the tree of the targets.
  FmmTasks(const FmmTargetView& targets, const CellLinks* links, std::size_t threads)
      : place(targets.cell_count), children_end(targets.cell_count), children_count(targets.cell_count) {
    const std::size_t particles = targets.group_start[targets.group_count];
    const std::size_t most = std::clamp(particles / (subtrees_a_thread * threads), smallest_subtree, largest_subtree);
    std::vector<std::uint32_t> subtrees;
    for (std::uint32_t t = 0; t < targets.cell_count; ++t) {
      count_child(targets.parent[t], t);
      if (!is_below_large(targets.parent[t])) continue;
      if (links[targets.cell[t]].particle_count > most)
        add_large(t);
      else
        subtrees.push_back(t);
    }
    const auto first_particle = [&](std::uint32_t t) { return links[targets.cell[t]].first_particle; };
    std::sort(subtrees.begin(), subtrees.end(), [&](std::uint32_t a, std::uint32_t b) { return first_particle(a) < first_particle(b); });
    for (const std::uint32_t t : subtrees) tasks.push_back({FmmTask::subtree, t});
    for (std::uint32_t g = 0; g < targets.group_count; ++g)
      if (is_below_large(targets.group_parent[g])) tasks.push_back({FmmTask::group, g});
  }

 private:
  bool is_below_large(std::uint32_t parent) const { return parent == no_parent || place[parent].is_large; }

  void count_child(std::uint32_t parent, std::uint32_t t) {
    if (parent == no_parent) return;
    children_end[parent] = t + 1;
    ++children_count[parent];
  }

  void add_large(std::uint32_t t) {
    const auto number = static_cast<std::uint32_t>(large.size());
    place[t] = {number, 1};
    tasks.push_back({FmmTask::large_cell, number});
    large.push_back(t);
  }
};

}  // namespace grove
