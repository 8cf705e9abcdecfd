#include "kernels/tree/fmm_targets.hpp"

#include "kernels/space/atomic.hpp"

namespace grove {

namespace {

/// Where the lists of FmmTargetView are written.
struct FmmTargetLists {
  std::uint32_t *cell, *parent, *group_start, *group_parent;
  std::uint32_t *slow_groups, *slow_group_count;  ///< null: not needed
  std::uint8_t* is_slow;
};

/// Marks the first particle of each group, the end of the particles, and the cells that are too large for a group.
struct MarkTargets {
  GroupStarts starts;
  const CellLinks* links;
  std::uint32_t largest;
  std::uint32_t* marks;  ///< [particles + 1 + cells]
  GROVE_HD void operator()(std::size_t i) const {
    const std::size_t places = starts.tree_level.size + 1;
    marks[i] = (i < places ? starts(i) : links[i - places].particle_count > largest) ? 1 : 0;
  }
};

/// Lists the groups and target cells, and the target cell above each.
struct ListTargets {
  const CellLinks* links;
  const std::uint32_t* before;  ///< [particles + 1 + cells + 1] number of marks before each particle, their end, each cell, and the end
  std::size_t places;           ///< particles + 1
  const std::uint32_t* work;
  double most_work;  ///< of groups that are not slow
  FmmTargetLists out;

  GROVE_HD bool is_target(std::uint32_t cell) const { return before[places + cell + 1] > before[places + cell]; }
  GROVE_HD std::uint32_t target(std::uint32_t cell) const { return before[places + cell] - before[places]; }

  GROVE_HD void operator()(std::size_t i) const {
    if (i >= places) return list_cell(static_cast<std::uint32_t>(i - places));
    if (before[i + 1] == before[i]) return;
    out.group_start[before[i]] = static_cast<std::uint32_t>(i);
    if (out.slow_groups && i + 1 < places) judge_group(before[i], work[i]);
  }
  /// `its_work`: of its first particle. Others may have another one, since groups change, and not all particles may have been active.
  GROVE_HD void judge_group(std::uint32_t group, std::uint32_t its_work) const {
    const bool is_slow = its_work > most_work;
    out.is_slow[group] = is_slow ? 1 : 0;
    if (is_slow) out.slow_groups[fetch_add(*out.slow_group_count, 1U)] = group;
  }
  /// A target cell is the parent of those of its children that are target cells, and of the groups that begin in its other children.
  GROVE_HD void list_cell(std::uint32_t c) const {
    const CellLinks cell = links[c];
    if (!is_target(c)) {
      if (c == 0) set_group_parents(cell, no_parent);
      return;
    }
    const std::uint32_t own = target(c);
    out.cell[own] = c;
    if (c == 0) out.parent[own] = no_parent;
    if (cell.child_count == 0) set_group_parents(cell, own);
    for (std::uint32_t child = cell.first_child; child < cell.first_child + cell.child_count; ++child) {
      if (is_target(child))
        out.parent[target(child)] = own;
      else
        set_group_parents(links[child], own);
    }
  }
  /// Sets the parent of the groups that begin in a cell.
  GROVE_HD void set_group_parents(const CellLinks& cell, std::uint32_t parent) const {
    const std::uint32_t begin = before[cell.first_particle], end = before[cell.first_particle + cell.particle_count];
    for (std::uint32_t g = begin; g < end; ++g) out.group_parent[g] = parent;
  }
};

/// Number of marks before the first cell of each level.
struct PickOffsets {
  LevelOffsets level_offset;
  const std::uint32_t* before;  ///< [cells + 1]
  GROVE_HD std::uint32_t operator()(std::size_t l) const { return before[level_offset[l]]; }
};

}  // namespace

template <class Space>
void FmmTargets<Space>::build(Space& space, const Tree<Space>& tree, View<const std::uint8_t> tree_level, View<const std::uint32_t> work) {
  resize(0, 0);
  level_offset_.fill(0);
  if (tree_level.empty()) return;
  const std::size_t cells = tree.cell_count(), places = tree_level.size + 1;
  // Ready once values_to_host() has returned.
  auto all_work = space.reduce_rows_later(Space::on_gpu ? work.size : 0, SumOfWork{}, WorkOfParticles{work.data}, AddParts{});
  Scratch<Space, std::uint32_t> marks(space, places + cells), before(space, places + cells + 1);
  space.for_each(places + cells, MarkTargets{{tree_level}, tree.links.data(), largest_fmm_group<Space>, marks.data()});
  space.template exclusive_scan<std::uint32_t>(marks.view(), before.view());
  space.values_to_host(level_offset_.size(), PickOffsets{tree.level_offset, before.data() + places}, level_offset_.data());
  const std::uint32_t group_starts = level_offset_.front();  // all marks before the cells
  for (std::uint32_t& offset : level_offset_) offset -= group_starts;

  resize(level_offset_.back(), group_starts - 1);
  if (slow_group_count_.size() > 0) space.fill_bytes(slow_group_count_.data(), 0, sizeof(std::uint32_t));
  const double most_work = work_of_slow_group * static_cast<double>(all_work.get().part[0]) / static_cast<double>(tree_level.size);
  const FmmTargetLists lists{cell_.data(),        parent_.data(),           group_start_.data(), group_parent_.data(),
                             slow_groups_.data(), slow_group_count_.data(), is_slow_.data()};
  space.for_each(places + cells, ListTargets{tree.links.data(), before.data(), places, work.data, most_work, lists});
}

template <class Space>
void FmmTargets<Space>::resize(std::size_t cells, std::size_t groups) {
  cell_.resize_discard(cells);
  parent_.resize_discard(cells);
  group_start_.resize_discard(groups > 0 ? groups + 1 : 0);
  group_parent_.resize_discard(groups);
  if constexpr (Space::on_gpu) {
    slow_groups_.resize_discard(groups);
    slow_group_count_.resize_discard(groups > 0 ? 1 : 0);
    is_slow_.resize_discard(groups);
  }
}

template class FmmTargets<BackEnd>;

}  // namespace grove
