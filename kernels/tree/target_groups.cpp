#include "kernels/tree/target_groups.hpp"

#include <algorithm>

#include "kernels/particles/work.hpp"
#include "kernels/space/bits.hpp"
#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

/// The cost of the walk for a group whose box spans two octants of the cell above in so many dimensions, and one in the others. It is
/// proportional to the number of sources in a box that is longer by half an octant on each side (8, 12, 18, 27), plus 5 for work that
/// hardly depends on the box.
GROVE_HD constexpr std::uint32_t cost_of_span(std::uint32_t dimensions) {
  constexpr std::uint32_t cost[] = {3, 4, 5, 7};
  return cost[dimensions];
}

/// Marks the first particle of every group that begins inside a cell that is too large for one group, except the cell's own first particle:
/// the cells above decide on that one.
struct ChooseGroups {
  const CellLinks* links;
  const std::uint64_t* keys;
  LevelOffsets level_offset;
  LimitOfClass sizes;  ///< with several classes, the children of the root are these
  std::uint8_t* tree_level;

  GROVE_HD void operator()(std::size_t c) const {
    const CellLinks cell = links[c];
    const std::uint32_t largest = sizes.at(cell.first_particle);
    const bool holds_classes = c == 0 && sizes.classes > 1;
    if (!holds_classes && cell.particle_count <= largest) return;
    if (!holds_classes && cell.child_count == 0)
      for (std::uint32_t i = largest; i < cell.particle_count; i += largest) begin_group(cell.first_particle + i);
    else if (holds_classes || cell.particle_count > uneven * largest)
      divide_into_children(cell);
    else
      merge_children(cell, level_of_cell(static_cast<std::uint32_t>(c), level_offset), largest);
  }

 private:
  static constexpr int most_children = 8;

  GROVE_HD void begin_group(std::uint32_t particle) const { set_group_begin(tree_level[particle]); }
  GROVE_HD void divide_into_children(const CellLinks& cell) const {
    for (std::uint32_t k = 1; k < cell.child_count; ++k) begin_group(links[cell.first_child + k].first_particle);
  }

  /// Finds the runs of children, each of which fits into a group or is one child, with the least total cost. The best runs up to a child
  /// follow from the best runs up to the earlier ones.
  GROVE_HD void merge_children(const CellLinks& cell, int level, std::uint32_t largest) const {
    const auto children = static_cast<int>(cell.child_count);
    std::uint32_t first[most_children + 1], octant[most_children];
    for (int k = 0; k < children; ++k) {
      first[k] = links[cell.first_child + static_cast<std::uint32_t>(k)].first_particle;
      octant[k] = static_cast<std::uint32_t>(keys[first[k]] >> bits_below(level + 1)) % most_children;
    }
    first[children] = cell.first_particle + cell.particle_count;
    std::uint32_t cost[most_children + 1] = {};  // of all runs before a child
    int last_run[most_children + 1] = {};        // where the last of these begins
    for (int end = 1; end <= children; ++end) {
      cost[end] = ~0U;
      std::uint32_t any = 0, all = most_children - 1;
      for (int begin = end - 1; begin >= 0; --begin) {
        const bool fits = first[end] - first[begin] <= largest;
        if (!fits && begin < end - 1) break;
        any |= octant[begin];
        all &= octant[begin];
        // A child that does not fit is divided in any case.
        const std::uint32_t with_run = cost[begin] + (fits ? cost_of_span(count_ones(any & ~all)) : 0);
        if (with_run < cost[end]) {
          cost[end] = with_run;
          last_run[end] = begin;
        }
      }
    }
    for (int begin = last_run[children]; begin > 0; begin = last_run[begin]) begin_group(first[begin]);
  }
};

struct SeparateOutliers {
  LedPositions position;
  KeyCube cube;
  std::uint8_t* tree_level;

  GROVE_HD void operator()(std::size_t i) const {
    if (is_outside(i) || (i > 0 && is_outside(i - 1))) set_group_begin(tree_level[i]);
  }

 private:
  GROVE_HD bool is_outside(std::size_t i) const {
    const Double3 d = position_of(position(i)) - cube.corner;
    return smaller(smaller(d.x, d.y), d.z) < 0 || larger(larger(d.x, d.y), d.z) > cube.edge;
  }
};

/// Divides the group that begins at a particle, if one does. It sets no bit that other threads read.
struct DivideBusyGroups {
  std::uint32_t targets_of_part;  ///< at least
  const std::uint32_t* work;
  double mean_work;
  View<std::uint8_t> tree_level;

  GROVE_HD void operator()(std::size_t i) const {
    if (i > 0 && !begins_group(tree_level[i])) return;
    std::uint64_t all = 0;
    std::uint32_t count = 0, in_parts = 0;
    do {
      const std::uint32_t of_particle = work[i + count];
      all += of_particle;
      in_parts += was_in_part(of_particle) ? 1 : 0;
      ++count;
    } while (i + count < tree_level.size && !begins_group(tree_level[i + count]));
    if (2 * in_parts <= count && static_cast<double>(all) < busy * mean_work * count) return;
    const std::uint32_t parts = count / targets_of_part;
    for (std::uint32_t k = 1; k < parts; ++k) set_division(tree_level[i + k * count / parts]);
  }
};

}  // namespace

template <class Space>
void choose_target_groups(Space& space, const Tree<Space>& tree, View<const std::uint64_t> keys, std::uint32_t largest,
                          View<std::uint8_t> tree_level) {
  space.for_each(tree.cell_count(),
                 ChooseGroups{tree.links.data(), keys.data, tree.level_offset, group_sizes(tree, keys.size, largest), tree_level.data});
}

template <class Space>
void divide_busy_groups(Space& space, std::uint32_t largest, View<const std::uint32_t> work, View<std::uint8_t> tree_level) {
  if (work.empty()) return;
  const std::uint64_t all = space.reduce_rows(work.size, SumOfWork{}, WorkOfParticles{work.data}, AddParts{}).part[0];
  if (all == 0) return;
  const double mean = static_cast<double>(all) / static_cast<double>(work.size);
  space.for_each(work.size, DivideBusyGroups{std::max(1U, largest * part_of_largest / 32), work.data, mean, tree_level});
}

template <class Space>
void separate_outliers(Space& space, const LedPositions& position, const KeyCube& cube, View<std::uint8_t> tree_level) {
  space.for_each(tree_level.size, SeparateOutliers{position, cube, tree_level.data});
}

template <class Space>
void list_target_groups(Space& space, View<const std::uint8_t> tree_level, StepBuffer<Space, std::uint32_t>& group_start) {
  group_start.resize_discard(0);
  if (tree_level.empty()) return;
  select_indices(space, tree_level.size + 1, GroupStarts{tree_level}, [&](std::uint32_t count) {
    group_start.resize_discard(count);
    return group_start.data();
  });
}

template void choose_target_groups(BackEnd&, const Tree<BackEnd>&, View<const std::uint64_t>, std::uint32_t, View<std::uint8_t>);
template void divide_busy_groups(BackEnd&, std::uint32_t, View<const std::uint32_t>, View<std::uint8_t>);
template void separate_outliers(BackEnd&, const LedPositions&, const KeyCube&, View<std::uint8_t>);
template void list_target_groups(BackEnd&, View<const std::uint8_t>, StepBuffer<BackEnd, std::uint32_t>&);

}  // namespace grove
