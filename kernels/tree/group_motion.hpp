// How fast the particles of target groups move apart.
#pragma once

#include "kernels/particles/particles.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// Growth of the boxes around groups, in units of 1 / time: the longest side of the box around the velocities of a group's particles,
/// divided by that of the box around their positions. After a unit of time, the box is longer by this part at most. 0 for a single
/// particle.
struct GroupMotion {
  double groups = 0;
  double sum_of_squares = 0;

  /// The square's mean.
  double mean_square() const { return groups > 0 ? sum_of_squares / groups : 0; }
  GroupMotion& operator+=(const GroupMotion& other) {
    groups += other.groups;
    sum_of_squares += other.sum_of_squares;
    return *this;
  }
};

/// The growth of the groups that begin at `group_start` [groups + 1] (see list_target_groups()), after the time `lead`: in the middle of
/// the steps of a tree, where the boxes are shortest. The parts of a divided group count as one: the box around two close particles says
/// nothing of the cells. Synchronises.
template <class Space>
GroupMotion motion_in_groups(Space& space, View<const std::uint32_t> group_start, const Particles<Space>& particles, double lead);

}  // namespace grove
