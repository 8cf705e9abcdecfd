#include "kernels/tree/active_targets.hpp"

#include "kernels/space/atomic.hpp"
#include "kernels/space/search.hpp"
#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

struct HasActive {
  const std::uint32_t* group_start;
  const std::uint8_t* active;  ///< null: all are
  GROVE_HD bool operator()(std::size_t g) const {
    bool any = !active;
    for (std::uint32_t i = group_start[g]; !any && i < group_start[g + 1]; ++i) any = active[i] != 0;
    return any;
  }
};

/// Where each part begins among the active groups, and where the last one ends.
struct FindPartGroups {
  View<const std::uint32_t> groups;
  const std::uint32_t* group_start;
  ParticleParts parts;

  GROVE_HD std::uint32_t operator()(std::size_t p) const {
    return first_not(std::uint32_t{0}, static_cast<std::uint32_t>(groups.size),
                     [&](std::uint32_t k) { return group_start[groups[k]] < parts.begin[p]; });
  }
};

/// Marks the cells above the active groups. Where a cell is marked, those above it are as well, or another group marks them at this time.
struct MarkAbove {
  const std::uint32_t* groups;
  const std::uint32_t* group_parent;
  const std::uint32_t* parent;
  std::uint32_t* cell;
  GROVE_HD void operator()(std::size_t k) const {
    for (std::uint32_t c = group_parent[groups[k]]; c != no_parent && set_once(cell[c]); c = parent[c]) {
    }
  }
};

struct IsMarked {
  const std::uint32_t* cell;
  GROVE_HD bool operator()(std::size_t c) const { return cell[c] != 0; }
};

}  // namespace

template <class Space>
void ActiveTargetLists<Space>::find(Space& space, View<const std::uint32_t> group_start, const std::uint8_t* active,
                                    const ParticleParts& parts) {
  active_ = active;
  const std::uint32_t count = select_indices(space, group_start.size > 0 ? group_start.size - 1 : 0, HasActive{group_start.data, active},
                                             [this](std::uint32_t found) {
                                               groups_.resize_discard(found);
                                               return groups_.data();
                                             });
  part_groups_.assign(static_cast<std::size_t>(parts.count) + 1, 0);
  if (parts.count > 0 && count > 0)
    space.values_to_host(part_groups_.size(), FindPartGroups{groups_.view(), group_start.data, parts}, part_groups_.data());
}

template <class Space>
ActiveTargets ActiveTargetLists<Space>::all() const {
  ActiveTargets all;
  all.is_list = true;
  all.particle = active_;
  all.groups = groups_.view();
  return all;
}

template <class Space>
ActiveTargets ActiveTargetLists<Space>::of_parts(int begin, int end) const {
  const std::uint32_t first = part_groups_[static_cast<std::size_t>(begin)];
  ActiveTargets of_parts = all();
  of_parts.groups = of_parts.groups.part(first, part_groups_[static_cast<std::size_t>(end)] - first);
  return of_parts;
}

template <class Space>
ActiveTargets ActiveTargetLists<Space>::with_cells(Space& space, const FmmTargets<Space>& targets, ActiveTargets some) {
  const FmmTargetView view = targets.view();
  cell_.resize_discard(view.cell_count);
  space.fill_bytes(cell_.data(), 0, view.cell_count * sizeof(std::uint32_t));
  space.for_each(some.groups.size, MarkAbove{some.groups.data, view.group_parent, view.parent, cell_.data()});
  some.cell = cell_.data();
  if constexpr (Space::on_gpu) {
    cells_.resize_discard(view.cell_count);
    cell_count_.resize_discard(1);
    if (view.cell_count > 0)
      select_first_indices(space, view.cell_count, IsMarked{cell_.data()}, cells_.view(), cell_count_.data());
    else
      space.fill_bytes(cell_count_.data(), 0, sizeof(std::uint32_t));
    some.cells = cells_.data();
    some.cell_count = cell_count_.data();
  }
  return some;
}

template class ActiveTargetLists<BackEnd>;

}  // namespace grove
