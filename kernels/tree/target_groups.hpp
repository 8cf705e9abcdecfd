// The targets of the walk: runs of consecutive sibling cells, merged so that groups are few and compact.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/particles/last_accelerations.hpp"
#include "kernels/particles/particle_keys.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// A number of particles for each class of softening.
struct LimitOfClass {
  std::array<std::uint32_t, most_type_classes> end{};  ///< one past the last particle of each class
  std::array<std::uint32_t, most_type_classes> most{};
  int classes = 1;

  GROVE_HD std::uint32_t at(std::uint32_t particle) const {
    int c = 0;
    while (c + 1 < classes && particle >= end[c]) ++c;
    return most[c];
  }
};

/// How many particles a group may have: `largest` in a class with 1/32 of all particles that act on it or more, and fewer in a smaller
/// class, down to one. The particles of a small class are far apart, and the targets of a group interact one by one with all particles
/// inside the box around them.
template <class Space>
LimitOfClass group_sizes(const Tree<Space>& tree, std::size_t particle_count, std::uint32_t largest) {
  LimitOfClass sizes;
  const std::uint64_t all = particle_count + tree.others;
  sizes.classes = tree.class_count;
  for (std::size_t c = 0; c < static_cast<std::size_t>(tree.class_count); ++c) {
    const std::uint64_t in_class = tree.particles_of_class(c, particle_count);
    sizes.end[c] = tree.class_count > 1 ? tree.class_begin[c + 1] : static_cast<std::uint32_t>(particle_count);
    sizes.most[c] =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(32 * in_class * largest / std::max<std::uint64_t>(all, 1), 1, largest));
  }
  return sizes;
}

/// The children of a cell with more than this many times the particles of a full group are not merged. If some of them have few particles,
/// others have many; the box around the few would reach into the dense ones, and one group in the outskirts of a galaxy would interact one
/// by one with all particles of its core. So no box around a group has more particles of its class inside.
inline constexpr std::uint32_t uneven = 16;

/// Divides the particles of `tree` into groups of at most `largest` consecutive particles (see group_sizes()), by setting group_bit at the
/// first particle of each in `tree_level` [particles], as build_tree() has set it. Sibling cells are merged so that the groups of the cell
/// above are few and compact, unless that cell is uneven; a cell that does not fit is divided into its children. A group has particles of
/// one class of softening. `keys` [particles]: those of the tree. Asynchronous.
template <class Space>
void choose_target_groups(Space& space, const Tree<Space>& tree, View<const std::uint64_t> keys, std::uint32_t largest,
                          View<std::uint8_t> tree_level);

/// Makes a group of its own of each outlier: a particle outside the cube of the keys, which may be far from the other particles of its
/// cell. In a group that reached out to it, FP32 offsets could not tell the other particles apart. Sets group_bit at the outlier and after
/// it in `tree_level` [particles]. `position` and `cube`: those of the keys. Asynchronous.
template <class Space>
void separate_outliers(Space& space, const LedPositions& position, const KeyCube& cube, View<std::uint8_t> tree_level);

/// Whether a group of targets begins at a particle, or the last group ends there.
struct GroupStarts {
  View<const std::uint8_t> tree_level;  ///< [particles]

  /// `i`: a particle, or their number.
  GROVE_HD bool operator()(std::size_t i) const {
    return i == 0 || i == tree_level.size || begins_group(tree_level[i]) || divides_group(tree_level[i]);
  }
};

/// Lists the groups. `tree_level` [particles]: as choose_target_groups() has set it, and separate_outliers() and divide_busy_groups() where
/// they were called. Sets `group_start` [groups + 1] to the first particle of each group and the end; to length 0 where there are no
/// particles. Synchronises once.
template <class Space>
void list_target_groups(Space& space, View<const std::uint8_t> tree_level, StepBuffer<Space, std::uint32_t>& group_start);

/// For sums of the work of particles (see work.hpp) by reduce_rows().
using SumOfWork = Row<std::uint64_t, 1>;
struct WorkOfParticles {
  const std::uint32_t* work;
  GROVE_HD SumOfWork operator()(std::size_t i) const { return {{work[i]}}; }
};

/// A group is busy when the work of its particles was at least this many times the mean. Its parts have at least so many 32nds of the most
/// targets of any group.
inline constexpr double busy = 8;
inline constexpr std::uint32_t part_of_largest = 2;

/// In a walk for few groups, the slowest of them determines the time: for example one in the outskirts, whose box reaches so near to the
/// core that its distant targets, with their small accelerations, open cells that all other groups accept. With several classes of
/// softening, the box around a few particles of one class may have thousands of another inside. The parts of such a group have smaller
/// boxes, and are walked in parallel. A group is divided also if more than half of its particles were in parts: these may have little work,
/// but the whole group would be busy again.
///
/// Sets division_bit at the first particle of each further part of the groups. `work` [particles]: that of the last forces (see work.hpp),
/// the same for all where it is not known; the mean is that of this rank. `tree_level` [particles]: as choose_target_groups() has set it,
/// with `largest`. Synchronises once.
template <class Space>
void divide_busy_groups(Space& space, std::uint32_t largest, View<const std::uint32_t> work, View<std::uint8_t> tree_level);

/// The smallest last acceleration in each group, in the unit of Tree's least_acceleration. A team finds that of a group.
struct LeastInGroups {
  View<const std::uint32_t> group_start{};  ///< as above
  float* least = nullptr;                   ///< [groups] out
  LastAccelerations last_acceleration{};

  std::size_t count() const { return group_start.empty() ? 0 : group_start.size - 1; }
  /// Takes the acceleration of each particle (LastAccelerations::take()).
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

}  // namespace grove
