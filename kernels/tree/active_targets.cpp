#include "kernels/tree/active_targets.hpp"

namespace grove {

namespace {

struct HasActive {
  const std::uint32_t* group_start;
  const std::uint8_t* active;
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t g) const {
    std::uint32_t any = 0;
    for (std::uint32_t i = group_start[g]; i < group_start[g + 1]; ++i) any |= active[i] != 0;
    out[g] = any;
  }
};

struct ListActive {
  const std::uint32_t* is_active;
  const std::uint32_t* place;
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t g) const {
    if (is_active[g]) out[place[g]] = static_cast<std::uint32_t>(g);
  }
};

/// Marks the cell above each of some groups or cells. Several may write the same 1 at once.
struct MarkParents {
  const std::uint32_t* parent;
  const std::uint32_t* is_active;
  std::uint32_t* cell;
  std::uint32_t first;
  GROVE_HD void operator()(std::size_t i) const {
    const std::uint32_t p = parent[first + i];
    if (is_active[first + i] && p != no_parent) cell[p] = 1;
  }
};

/// Marks the groups with active particles in `is_active` [groups].
template <class Space>
void mark_groups(Space& space, View<const std::uint32_t> group_start, const std::uint8_t* active, View<std::uint32_t> is_active) {
  space.for_each(is_active.size, HasActive{group_start.data, active, is_active.data});
}

}  // namespace

template <class Space>
ActiveTargets ActiveTargetLists<Space>::find(Space& space, View<const std::uint32_t> group_start, const std::uint8_t* active) {
  const std::size_t count = group_start.size > 0 ? group_start.size - 1 : 0;
  Scratch<Space, std::uint32_t> is_active(space, count), place(space, count + 1);
  mark_groups<Space>(space, group_start, active, is_active);
  space.template exclusive_scan<std::uint32_t>(is_active.view(), place.view());
  std::uint32_t found = 0;
  space.copy_to_host(&found, place.data() + count, sizeof(found));
  groups_.resize_discard(found);
  space.for_each(count, ListActive{is_active.data(), place.data(), groups_.data()});
  return {active, groups_.view(), nullptr};
}

template <class Space>
ActiveTargets ActiveTargetLists<Space>::find(Space& space, const FmmTargets<Space>& targets, const std::uint8_t* active) {
  ActiveTargets result = find(space, targets.group_start(), active);
  const FmmTargetView view = targets.view();
  cell_.resize_discard(view.cell_count);
  space.fill_bytes(cell_.data(), 0, view.cell_count * sizeof(std::uint32_t));
  Scratch<Space, std::uint32_t> is_active(space, view.group_count);
  mark_groups<Space>(space, targets.group_start(), active, is_active);
  space.for_each(view.group_count, MarkParents{view.group_parent, is_active.data(), cell_.data(), 0});
  const LevelOffsets& level = targets.level_offset();
  for (int l = deepest_level; l > 0; --l)
    space.for_each(level[l + 1] - level[l], MarkParents{view.parent, cell_.data(), cell_.data(), level[l]});
  result.cell = cell_.data();
  return result;
}

template class ActiveTargetLists<BackEnd>;

}  // namespace grove
