#include "kernels/tree/target_groups.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/particles/work.hpp"
#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

/// Into what the particles of a cell are divided that is too large for one group. With several classes, those of the root are its classes.
struct RunsOfCell {
  const CellLinks* links;
  LimitOfClass sizes;

  /// Calls do_run(first, count) for the particles of each run of children that fit into one group, each child that does not fit, and each
  /// part of a leaf.
  template <class DoRun>
  GROVE_HD void for_each(std::size_t c, DoRun do_run) const {
    const CellLinks cell = links[c];
    if (c == 0 && sizes.classes > 1) {
      for (std::uint32_t k = 0; k < cell.child_count; ++k) {
        const CellLinks of_class = links[cell.first_child + k];
        do_run(of_class.first_particle, of_class.particle_count);
      }
      return;
    }
    const std::uint32_t largest = sizes.at(cell.first_particle);
    if (cell.particle_count <= largest) return;
    if (cell.child_count == 0) {
      for (std::uint32_t i = 0; i < cell.particle_count; i += largest)
        do_run(cell.first_particle + i, smaller(largest, cell.particle_count - i));
      return;
    }
    std::uint32_t first = cell.first_particle, count = 0;
    for (std::uint32_t k = 0; k < cell.child_count; ++k) {
      const CellLinks child = links[cell.first_child + k];
      const bool joins = count + child.particle_count <= largest && cell.particle_count <= uneven * largest;
      if (!joins && count > 0) {
        do_run(first, count);
        first += count;
        count = 0;
      }
      count += child.particle_count;
    }
    do_run(first, count);
  }
};

/// Marks the first particle of every group that starts inside a cell that is too large for one group, and the end of the particles.
struct MarkGroups {
  RunsOfCell runs;
  TargetMarks marks;
  std::uint32_t largest;  ///< of all classes

  GROVE_HD void operator()(std::size_t c) const {
    const std::uint32_t count = runs.links[c].particle_count;
    std::uint32_t* const starts = marks.group_starts.data;
    if (!marks.large_cells.empty()) marks.large_cells[c] = count > largest ? 1 : 0;
    if (c == 0) starts[0] = starts[count] = 1;
    runs.for_each(c, [starts](std::uint32_t first, std::uint32_t) { starts[first] = 1; });
  }
};

/// Marks outliers, the particles after them, and where groups are divided, and no others.
struct MarkDivisions {
  GroupDivisions divisions;
  std::uint32_t* starts;  ///< [particles + 1]
  std::size_t particle_count;

  GROVE_HD void operator()(std::size_t i) const {
    const Outliers& outliers = divisions.outliers;
    const bool is_outlier = i < particle_count && outliers.contain(i), follows_one = i > 0 && outliers.contain(i - 1);
    const bool divides = divisions.tree_level && i < particle_count && divides_group(divisions.tree_level[i]);
    starts[i] = is_outlier || follows_one || divides ? 1 : 0;
  }
};

struct SumOfWork {
  const std::uint32_t* work;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return work[i]; }
};
struct AddWork {
  GROVE_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

struct DivideBusyGroups {
  RunsOfCell runs;
  std::uint32_t targets_of_part;  ///< at least
  const std::uint32_t* work;
  double mean_work;
  std::uint8_t* tree_level;

  GROVE_HD void operator()(std::size_t c) const {
    runs.for_each(c, [this](std::uint32_t first, std::uint32_t count) {
      if (count <= runs.sizes.at(first) && is_divided(first, count)) divide(first, count);
    });
  }
  GROVE_HD bool is_divided(std::uint32_t first, std::uint32_t count) const {
    std::uint64_t all = 0;
    std::uint32_t in_parts = 0;
    for (std::uint32_t i = first; i < first + count; ++i) {
      all += work[i];
      in_parts += (work[i] & in_part_bit) != 0 ? 1 : 0;
    }
    return 2 * in_parts > count || static_cast<double>(all) >= busy * mean_work * count;
  }
  GROVE_HD void divide(std::uint32_t first, std::uint32_t count) const {
    const std::uint32_t parts = count / targets_of_part;
    for (std::uint32_t k = 1; k < parts; ++k) tree_level[first + k * count / parts] |= division_bit;
  }
};

}  // namespace

template <class Space>
void mark_targets(Space& space, const Tree<Space>& tree, std::size_t particle_count, std::uint32_t largest, const GroupDivisions& divisions,
                  const TargetMarks& marks) {
  space.for_each(particle_count + 1, MarkDivisions{divisions, marks.group_starts.data, particle_count});
  space.for_each(tree.cell_count(), MarkGroups{{tree.links.data(), group_sizes(tree, particle_count, largest)}, marks, largest});
}

template <class Space>
void divide_busy_groups(Space& space, const Tree<Space>& tree, std::uint32_t largest, View<const std::uint32_t> work,
                        View<std::uint8_t> tree_level) {
  if (work.empty()) return;
  const std::uint64_t all = space.transform_reduce(work.size, std::uint64_t{0}, SumOfWork{work.data}, AddWork{});
  if (all == 0) return;
  const double mean = static_cast<double>(all) / static_cast<double>(work.size);
  space.for_each(tree.cell_count(), DivideBusyGroups{{tree.links.data(), group_sizes(tree, work.size, largest)},
                                                     std::max(1U, largest * part_of_largest / 32),
                                                     work.data,
                                                     mean,
                                                     tree_level.data});
}

template <class Space>
void make_target_groups(Space& space, const Tree<Space>& tree, std::size_t particle_count, std::uint32_t largest,
                        StepBuffer<Space, std::uint32_t>& group_start, const Outliers& outliers) {
  group_start.resize_discard(0);
  if (particle_count == 0) return;
  Scratch<Space, std::uint32_t> starts(space, particle_count + 1);
  mark_targets(space, tree, particle_count, largest, {outliers}, {starts.view(), {}});
  select_marked(space, View<const std::uint32_t>(starts.view()), [&](std::uint32_t count) {
    group_start.resize_discard(count);
    return group_start.data();
  });
}

template void mark_targets(BackEnd&, const Tree<BackEnd>&, std::size_t, std::uint32_t, const GroupDivisions&, const TargetMarks&);
template void divide_busy_groups(BackEnd&, const Tree<BackEnd>&, std::uint32_t, View<const std::uint32_t>, View<std::uint8_t>);
template void make_target_groups(BackEnd&, const Tree<BackEnd>&, std::size_t, std::uint32_t, StepBuffer<BackEnd, std::uint32_t>&,
                                 const Outliers&);

}  // namespace grove
