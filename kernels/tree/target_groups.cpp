#include "kernels/tree/target_groups.hpp"

#include <cmath>

#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

/// Marks the first particle of every group that starts inside a cell that is too large for one group, and the end of the particles.
struct MarkGroups {
  const CellLinks* links;
  TargetMarks marks;
  LimitOfClass sizes;
  std::uint32_t largest_of_all;  ///< of `sizes`

  GROVE_HD void operator()(std::size_t c) const {
    const CellLinks cell = links[c];
    std::uint32_t* const starts = marks.group_starts.data;
    if (!marks.large_cells.empty()) marks.large_cells[c] = cell.particle_count > largest_of_all ? 1 : 0;
    if (c == 0) starts[0] = starts[cell.particle_count] = 1;
    if (c == 0 && sizes.classes > 1) {
      for (std::uint32_t k = 0; k < cell.child_count; ++k) starts[links[cell.first_child + k].first_particle] = 1;
      return;
    }
    const std::uint32_t largest = sizes.at(cell.first_particle);
    if (cell.particle_count <= largest) return;
    if (cell.child_count == 0) {
      for (std::uint32_t i = 0; i < cell.particle_count; i += largest) starts[cell.first_particle + i] = 1;
      return;
    }
    std::uint32_t in_group = largest + 1;  // too full for any child to join
    for (std::uint32_t k = 0; k < cell.child_count; ++k) {
      const CellLinks child = links[cell.first_child + k];
      const bool joins = in_group + child.particle_count <= largest && cell.particle_count <= uneven * largest;
      in_group = joins ? in_group + child.particle_count : child.particle_count;
      if (!joins) starts[child.first_particle] = 1;
    }
  }
};

/// Marks outliers and the particles after them, and no others.
struct MarkOutliers {
  Outliers outliers;
  std::uint32_t* starts;  ///< [particles + 1]
  std::size_t particle_count;

  GROVE_HD void operator()(std::size_t i) const {
    const bool is_outlier = i < particle_count && outliers.contain(i), follows_one = i > 0 && outliers.contain(i - 1);
    starts[i] = is_outlier || follows_one ? 1 : 0;
  }
};

struct LeastInGroup {
  const std::uint32_t* group_start;
  LastAccelerations last_acceleration;
  float* least;

  template <class Team>
  GROVE_HD void operator()(const Team& team, std::size_t g) const {
    const std::uint32_t begin = group_start[g], end = group_start[g + 1];
    float smallest = INFINITY;
    for (std::uint32_t i = begin + static_cast<std::uint32_t>(team.rank()); i < end; i += Team::size)
      smallest = smaller(smallest, last_acceleration.take(i));
    smallest = team.smallest(smallest);
    if (team.rank() == 0) least[g] = smallest;
  }
};

}  // namespace

template <class Space>
void mark_targets(Space& space, const Tree<Space>& tree, std::size_t particle_count, std::uint32_t largest, const Outliers& outliers,
                  const TargetMarks& marks) {
  space.for_each(particle_count + 1, MarkOutliers{outliers, marks.group_starts.data, particle_count});
  space.for_each(tree.cell_count(), MarkGroups{tree.links.data(), marks, group_sizes(tree, particle_count, largest), largest});
}

template <class Space>
void make_target_groups(Space& space, const Tree<Space>& tree, std::size_t particle_count, std::uint32_t largest,
                        StepBuffer<Space, std::uint32_t>& group_start, const Outliers& outliers) {
  group_start.resize_discard(0);
  if (particle_count == 0) return;
  Scratch<Space, std::uint32_t> starts(space, particle_count + 1);
  mark_targets(space, tree, particle_count, largest, outliers, {starts.view(), {}});
  select_marked(space, View<const std::uint32_t>(starts.view()), [&](std::uint32_t count) {
    group_start.resize_discard(count);
    return group_start.data();
  });
}

template <class Space>
void find_least_in_groups(Space& space, View<const std::uint32_t> group_start, const LastAccelerations& last_acceleration,
                          StepBuffer<Space, float>& least) {
  least.resize_discard(group_start.empty() ? 0 : group_start.size - 1);
  space.for_each_by_team(least.size(), LeastInGroup{group_start.data, last_acceleration, least.data()});
}

template void mark_targets(BackEnd&, const Tree<BackEnd>&, std::size_t, std::uint32_t, const Outliers&, const TargetMarks&);
template void make_target_groups(BackEnd&, const Tree<BackEnd>&, std::size_t, std::uint32_t, StepBuffer<BackEnd, std::uint32_t>&,
                                 const Outliers&);
template void find_least_in_groups(BackEnd&, View<const std::uint32_t>, const LastAccelerations&, StepBuffer<BackEnd, float>&);

}  // namespace grove
