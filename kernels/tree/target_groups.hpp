// The targets of the walk: runs of consecutive sibling cells, merged as long as their particles fit into one group.
#pragma once

#include "kernels/tree/tree.hpp"

namespace grove {

/// Particles outside the cube of the keys. They may be far from the other particles of their cell.
struct Outliers {
  const Double4* particles = nullptr;  ///< position, code units; null: there are no outliers
  KeyCube cube;

  GROVE_HD bool contain(std::size_t i) const {
    const Double3 d = position_of(particles[i]) - cube.corner;
    return smaller(smaller(d.x, d.y), d.z) < 0 || larger(larger(d.x, d.y), d.z) > cube.edge;
  }
};

/// Divides the particles of `tree` into groups of at most `largest` consecutive particles: sibling cells are merged while they fit; a cell
/// that does not fit is divided into its children. A group has particles of one class of softening. Each outlier is a group of its own: in
/// a group that reached out to it, FP32 offsets could not tell the other particles apart. Sets `group_start` [groups + 1] to the first
/// particle of each group and the end; to length 0 for an empty tree. Synchronises once.
template <class Space>
void make_target_groups(Space& space, const Tree<Space>& tree, std::size_t particle_count, std::uint32_t largest,
                        StepBuffer<Space, std::uint32_t>& group_start, const Outliers& outliers = {});

/// Sets `least` [groups] to the smallest `magnitude` [particles] in each group: the last accelerations, in the unit of Tree's
/// least_acceleration. `group_start` is as above. Asynchronous.
template <class Space>
void find_least_in_groups(Space& space, View<const std::uint32_t> group_start, View<const float> magnitude,
                          StepBuffer<Space, float>& least);

}  // namespace grove
