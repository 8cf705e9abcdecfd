// How the walk of `fmm` on the CPU is divided into tasks. One thread does each task.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/tree/fmm_targets.hpp"

namespace grove {

/// Where the list and expansion handed down by a target cell are stored: a number in the pool of the thread that walks its subtree, or
/// among the large cells.
struct Place {
  std::uint32_t number : 31, is_large : 1;
};

/// A single large target cell, everything below another target cell (a subtree), or a group directly below a large cell.
struct FmmTask {
  enum Kind : std::uint8_t { large_cell, subtree, group };

  Kind kind;
  std::uint32_t number;  ///< of the large cell in FmmTasks::large, of the target cell at the top of the subtree, or of the group
};

/// The tasks of a walk. Their results do not depend on the number of threads.
struct FmmTasks {
  // The size of a subtree is limited, so that the lists handed down in it stay in the cache. In very small subtrees, each list would be
  // used for too few particles.
  static constexpr std::size_t largest_subtree = 4096, smallest_subtree = 64;
  /// Number of subtrees for each thread. There can be more, because few subtrees reach the largest size, or fewer, if they would be too
  /// small.
  static constexpr std::size_t subtrees_a_thread = 16;

  /// First the large cells, level by level, so that each comes after the cell above it. Then subtrees along the Morton curve, so that
  /// threads read the same sources at about the same time. Then groups, which are short.
  std::vector<FmmTask> tasks;
  std::vector<std::uint32_t> large;           ///< target cells
  std::vector<Place> place;                   ///< [target cells] set here for large cells, and by the walks of subtrees for the others
  std::vector<std::uint32_t> children_end;    ///< [target cells] end of the child target cells, which are consecutive
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
