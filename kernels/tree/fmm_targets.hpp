// The targets of method `fmm`: the octree's larger cells, and below them groups of few particles.
#pragma once

#include <vector>

#include "kernels/tree/target_groups.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// The most particles of a group: on a GPU, as many as a warp has lanes. On a CPU, the tests and expansions of larger groups cost less than
/// their pairs cost more (docs/measurements.md).
template <class Space>
inline constexpr int largest_fmm_group = Space::on_gpu ? 32 : 64;
inline constexpr std::uint32_t no_parent = ~0U;

/// Plain pointers for loop bodies. Target cells are the cells of the own tree with more particles than fit in a group, numbered level by
/// level.
struct FmmTargetView {
  const std::uint32_t* cell;          ///< [cells] cell of the own tree
  const std::uint32_t* parent;        ///< [cells] target cell above; no_parent for the root
  const std::uint32_t* group_start;   ///< [groups + 1] first particle
  const std::uint32_t* group_parent;  ///< [groups] target cell above; no_parent when all particles are one group
  std::uint32_t cell_count, group_count;
  std::uint32_t high_cells;          ///< the first so many target cells are those of the highest levels
  const std::uint32_t* high_groups;  ///< [*high_group_count] the groups right below these, in any order; on a GPU
  const std::uint32_t* high_group_count;

  /// Whether a group lies right below a target cell of the highest levels.
  GROVE_HD bool is_high(std::uint32_t group) const { return group_parent[group] < high_cells; }
};

/// One target cell of so many is of the highest levels, or fewer. The groups right below them lie in the outskirts. Their boxes are large,
/// so that they open many cells: they have several times the work of others.
inline constexpr std::uint32_t cells_for_a_high_one = 32;

/// In memory of the step.
template <class Space>
class FmmTargets {
 public:
  explicit FmmTargets(Space& space)
      : cell_(space), parent_(space), group_start_(space), group_parent_(space), high_groups_(space), high_group_count_(space) {}

  /// Finds the target cells of `tree`, and lists its groups, as list_target_groups() does, of at most largest_fmm_group<Space> particles.
  /// Synchronises once.
  void build(Space& space, const Tree<Space>& tree, View<const std::uint8_t> tree_level, const Outliers& outliers = {});

  FmmTargetView view() const {
    return {cell_.data(),
            parent_.data(),
            group_start_.data(),
            group_parent_.data(),
            static_cast<std::uint32_t>(cell_.size()),
            static_cast<std::uint32_t>(group_parent_.size()),
            high_cells(),
            high_groups_.data(),
            high_group_count_.data()};
  }
  View<const std::uint32_t> group_start() const { return group_start_.view(); }
  /// First target cell of each level, and the end: on the host.
  const LevelOffsets& level_offset() const { return level_offset_; }

 private:
  void resize(std::size_t cells, std::size_t groups);
  std::uint32_t high_cells() const;

  StepBuffer<Space, std::uint32_t> cell_, parent_, group_start_, group_parent_;
  StepBuffer<Space, std::uint32_t> high_groups_, high_group_count_;  ///< see FmmTargetView; empty on the CPU
  LevelOffsets level_offset_{};
};

}  // namespace grove
