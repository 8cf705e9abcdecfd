#include "kernels/tree/active_targets.hpp"

#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

struct HasActive {
  const std::uint32_t* group_start;
  const std::uint8_t* active;
  GROVE_HD bool operator()(std::size_t g) const {
    bool any = false;
    for (std::uint32_t i = group_start[g]; i < group_start[g + 1]; ++i) any = any || active[i] != 0;
    return any;
  }
};

/// Marks the cells above the active groups. Several may write the same 1 at once.
struct MarkAboveGroups {
  const std::uint32_t* groups;
  const std::uint32_t* group_parent;
  std::uint32_t* cell;
  GROVE_HD void operator()(std::size_t k) const {
    const std::uint32_t parent = group_parent[groups[k]];
    if (parent != no_parent) cell[parent] = 1;
  }
};

/// Marks the cells above the marked cells of a level.
struct MarkAboveCells {
  const std::uint32_t* parent;
  std::uint32_t* cell;
  std::uint32_t first;
  GROVE_HD void operator()(std::size_t i) const {
    const std::uint32_t p = parent[first + i];
    if (cell[first + i] && p != no_parent) cell[p] = 1;
  }
};

}  // namespace

template <class Space>
ActiveTargets ActiveTargetLists<Space>::find(Space& space, View<const std::uint32_t> group_start, const std::uint8_t* active) {
  select_indices(space, group_start.size > 0 ? group_start.size - 1 : 0, HasActive{group_start.data, active}, [this](std::uint32_t count) {
    groups_.resize_discard(count);
    return groups_.data();
  });
  return {active, groups_.view(), nullptr};
}

template <class Space>
ActiveTargets ActiveTargetLists<Space>::find(Space& space, const FmmTargets<Space>& targets, const std::uint8_t* active) {
  ActiveTargets result = find(space, targets.group_start(), active);
  const FmmTargetView view = targets.view();
  cell_.resize_discard(view.cell_count);
  space.fill_bytes(cell_.data(), 0, view.cell_count * sizeof(std::uint32_t));
  space.for_each(result.groups.size, MarkAboveGroups{result.groups.data, view.group_parent, cell_.data()});
  const LevelOffsets& level = targets.level_offset();
  for (int l = deepest_level; l > 0; --l) space.for_each(level[l + 1] - level[l], MarkAboveCells{view.parent, cell_.data(), level[l]});
  result.cell = cell_.data();
  return result;
}

template class ActiveTargetLists<BackEnd>;

}  // namespace grove
