// The targets of method `fmm`: the larger cells of the octree, and below them groups of at most largest_fmm_group particles.
#pragma once

#include <vector>

#include "kernels/tree/target_groups.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// Largest number of particles in a group. On a GPU it is the number of lanes in a warp. On a CPU, larger groups save more on tests and
/// expansions than their additional pairs cost (docs/development/constants.md).
template <class Space>
inline constexpr int largest_fmm_group = Space::on_gpu ? 32 : 64;
inline constexpr std::uint32_t no_parent = ~0U;

/// Plain pointers for loop bodies. Target cells are the cells of the rank's own tree with more particles than fit into a group. They are
/// numbered level by level.
struct FmmTargetView {
  const std::uint32_t* cell;          ///< [cells] cell of the rank's own tree
  const std::uint32_t* parent;        ///< [cells] target cell above; no_parent for the root
  const std::uint32_t* group_start;   ///< [groups + 1] first particle
  const std::uint32_t* group_parent;  ///< [groups] target cell above; no_parent if all particles form one group
  std::uint32_t cell_count, group_count;
  const std::uint32_t* slow_groups;  ///< [*slow_group_count] groups with much work, in any order; on a GPU
  const std::uint32_t* slow_group_count;
  const std::uint8_t* is_slow;  ///< [groups] 1: it is among them; on a GPU
};

/// A group is slow when the last force on its first particle had more work than this many times the mean of all particles. Busy groups are
/// divided where they determine the time of a walk (target_groups.hpp); slow ones are only walked first.
inline constexpr double work_of_slow_group = 1.2;

/// The lists of FmmTargetView, in memory of the step.
template <class Space>
class FmmTargets {
 public:
  explicit FmmTargets(Space& space)
      : cell_(space),
        parent_(space),
        group_start_(space),
        group_parent_(space),
        slow_groups_(space),
        slow_group_count_(space),
        is_slow_(space) {}

  /// Finds the target cells of `tree` and, as list_target_groups() does, its groups of at most largest_fmm_group<Space> particles. `work`
  /// [particles]: that of the last forces (see work.hpp). Synchronises once.
  void build(Space& space, const Tree<Space>& tree, View<const std::uint8_t> tree_level, View<const std::uint32_t> work);

  FmmTargetView view() const {
    return {cell_.data(),
            parent_.data(),
            group_start_.data(),
            group_parent_.data(),
            static_cast<std::uint32_t>(cell_.size()),
            static_cast<std::uint32_t>(group_parent_.size()),
            slow_groups_.data(),
            slow_group_count_.data(),
            is_slow_.data()};
  }
  View<const std::uint32_t> group_start() const { return group_start_.view(); }
  /// First target cell of each level, and the end, on the host.
  const LevelOffsets& level_offset() const { return level_offset_; }

 private:
  void resize(std::size_t cells, std::size_t groups);

  StepBuffer<Space, std::uint32_t> cell_, parent_, group_start_, group_parent_;
  StepBuffer<Space, std::uint32_t> slow_groups_, slow_group_count_;  ///< see FmmTargetView; empty on the CPU
  StepBuffer<Space, std::uint8_t> is_slow_;                          ///< the same
  LevelOffsets level_offset_{};
};

}  // namespace grove
