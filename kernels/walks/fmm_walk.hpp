// Step 8 (docs/development/overview.md) with local expansions: the walk of method `fmm` (Dehnen 2002; Yokota 2013). Sources and targets
// both form trees.
//
// From the top of the target tree down, every target cell starts from a list of source cells that its parent has handed down. A source
// that is well separated from the target is added to the target's local expansion (M2L), once for all particles below. A source larger
// than the target is opened. The remaining sources are handed down. A group at the bottom opens all remaining sources, down to particles
// (P2P). Expansions are also handed down (L2L), and evaluated at the particles of each group (L2P).
#pragma once

#include <functional>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/tree/fmm_targets.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

namespace fmm_walk {

/// Up to this number of particles, a leaf costs less than its multipole at each target.
inline constexpr std::uint32_t few_particles = 3;
/// On the stack of a warp: marks cells that must not be added to the local expansion.
inline constexpr std::uint32_t forbidden_bit = 1U << 31;

}  // namespace fmm_walk

/// A cube that all particles of a tree must lie in.
struct TreeBounds {
  Double3 centre{};      ///< code units
  double half_edge = 0;  ///< code units; 0: no bounds
  double length = 1;     ///< TreeScale::length of the tree

  /// Whether the box of the root cell is in the cube. False if a position is not finite.
  GROVE_HD bool hold(const CellGeometry& root) const {
    const Double3 d = root.centre_of_mass - centre;
    const double at[3] = {d.x, d.y, d.z};
    bool all = true;
    for (int k = 0; k < 3; ++k) all &= absolute(at[k] + length * root.offset[k]) + length * root.half_size[k] <= half_edge;
    return half_edge == 0 || all;
  }
};

/// The targets of a walk and their data.
struct FmmWalkTargets {
  TreeView own_tree;                           ///< the tree that contains the target cells
  const float* least_acceleration;             ///< [cells of own_tree]
  View<const Double4> particles;               ///< position and mass, code units
  View<const float> group_least_acceleration;  ///< [groups] smallest last acceleration, scaled as in Tree
  View<Double4> acceleration;                  ///< out: acceleration and potential, code units, G included
  View<GroupWork> work;                        ///< [groups] out
  ActiveTargets active{};                      ///< the targets to walk for
  TreeBounds bounds{};                         ///< of the targets' tree; outside of them a walk is refused
};

/// The walk, with its memory for the lists of source cells that are handed down.
template <class Space>
class FmmWalk {
 public:
  explicit FmmWalk(Space& space) : lists_(space), list_range_(space), local_(space), cell_work_(space) {}

  /// On a GPU: whether the slowest group determines the time of a walk for all of `particles` particles, rather than the work of all.
  static bool waits_for_slowest_group(const Space& space, ExpansionForm form, std::size_t particles);

  /// Begins a set of walks for the same targets, all of them or some. Their work adds up. Asynchronous.
  void begin(Space& space, std::uint32_t target_cells, bool for_all = true);

  /// Walks `sources`, whose multipoles have the form of `law`, for all targets in `data` or for the active ones. `law` is in the units of
  /// the trees. If the walk is refused, only `work` is set. Synchronises once, and whenever the lists need more memory. Throws
  /// std::logic_error for multipoles of another form.
  ///
  /// `meanwhile` enqueues device work that follows the walk. It is called before the host waits for the end of the walk, so it must not
  /// depend on results on the host. It is called once more each time the walk continues with more memory.
  WalkOutcome walk(Space& space, const ScaledLaw& law, const TreeView& sources, const FmmTargets<Space>& targets,
                   const FmmWalkTargets& data, WalkMode mode, const std::function<void()>& meanwhile = {});

  /// Cell-cell interactions and opening tests at the target cells above the groups, summed over the walks since begin(). None before
  /// the first walk.
  View<const GroupWork> cell_work() const { return clears_work_ ? View<const GroupWork>{} : cell_work_.view(); }

 private:
  Buffer<Space, std::uint32_t> lists_;           ///< source cells handed down by all target cells
  StepBuffer<Space, std::uint64_t> list_range_;  ///< [target cells] begin and end in lists_, in the low and high 32 bits
  StepBuffer<Space, float> local_;               ///< [target cells * local_stride(order)] local expansions
  StepBuffer<Space, GroupWork> cell_work_;       ///< [target cells]
  std::size_t most_used_ = 0;                    ///< largest number of entries of lists_ used by the walks since begin()
  bool clears_work_ = false;                     ///< whether the next walk clears the work: the first one after begin()
  bool are_for_all_ = false;                     ///< the walks since begin() are
  std::uint32_t cells_ = 0;                      ///< target cells of the walks since begin()
  std::size_t used_by_all_ = 0;                  ///< most_used_ of the last walks for all targets,
  std::uint32_t cells_of_all_ = 0;               ///< and their target cells
  std::uint32_t longest_list_ = 512;             ///< room for the list that one target cell hands down
};

}  // namespace grove
