#include "kernels/tree/fmm_targets.hpp"

namespace grove {

namespace {

struct IsTarget {
  const CellLinks* links;
  std::uint32_t* out;
  GROVE_HD void operator()(std::size_t c) const { out[c] = links[c].particle_count > largest_fmm_group; }
};

/// Lists the target cells, and the target cell above each.
struct ListTargets {
  const CellLinks* links;
  const std::uint32_t* number;  ///< [cells + 1] target cells before each cell
  std::uint32_t* cell;
  std::uint32_t* parent;

  GROVE_HD void operator()(std::size_t c) const {
    const std::uint32_t own = number[c];
    if (number[c + 1] == own) return;
    cell[own] = static_cast<std::uint32_t>(c);
    if (c == 0) parent[own] = no_parent;
    for (std::uint32_t k = 0; k < links[c].child_count; ++k) {
      const std::uint32_t child = links[c].first_child + k;
      if (number[child + 1] > number[child]) parent[number[child]] = own;
    }
  }
};

struct PickOffsets {
  const std::uint32_t* number;
  std::uint32_t* at;
  GROVE_HD void operator()(std::size_t i) const { at[i] = number[at[i]]; }
};

/// The target cell above each group: the deepest one that holds the group's first particle.
struct FindGroupParents {
  const CellLinks* links;
  const std::uint32_t* number;
  const std::uint32_t* group_start;
  std::uint32_t* group_parent;

  GROVE_HD void operator()(std::size_t g) const {
    const std::uint32_t particle = group_start[g];
    std::uint32_t c = 0, parent = no_parent;
    while (number[c + 1] > number[c]) {
      parent = number[c];
      const CellLinks cell = links[c];
      if (cell.child_count == 0) break;
      c = cell.first_child;
      for (std::uint32_t k = 1; k < cell.child_count && links[cell.first_child + k].first_particle <= particle; ++k)
        c = cell.first_child + k;
    }
    group_parent[g] = parent;
  }
};

}  // namespace

template <class Space>
void FmmTargets<Space>::build(Space& space, const Tree<Space>& tree, std::size_t particle_count, const Outliers& outliers) {
  const std::uint32_t cells = tree.cell_count();
  make_target_groups(space, tree, particle_count, largest_fmm_group, group_start_, outliers);
  Scratch<Space, std::uint32_t> is_target(space, cells), number(space, cells + 1), offsets(space, tree.level_offset.size());
  space.for_each(cells, IsTarget{tree.links.data(), is_target.data()});
  space.template exclusive_scan<std::uint32_t>(is_target.view(), number.view());
  copy_from_host<Space, std::uint32_t>(space, tree.level_offset, offsets.view());
  space.for_each(tree.level_offset.size(), PickOffsets{number.data(), offsets.data()});
  copy_to_host<Space, std::uint32_t>(space, offsets.view(), level_offset_);

  cell_.resize_discard(level_offset_.back());
  parent_.resize_discard(level_offset_.back());
  group_parent_.resize_discard(group_start_.size() > 0 ? group_start_.size() - 1 : 0);
  space.for_each(cells, ListTargets{tree.links.data(), number.data(), cell_.data(), parent_.data()});
  space.for_each(group_parent_.size(), FindGroupParents{tree.links.data(), number.data(), group_start_.data(), group_parent_.data()});
}

template class FmmTargets<BackEnd>;

}  // namespace grove
