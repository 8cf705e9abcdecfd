// Step 8 (docs/architecture.md) with local expansions: the walk of method `fmm` (Dehnen 2002; Yokota 2013). Sources and targets are both
// trees.
//
// From the top of the target tree down, every target cell takes the list of source cells that the cell above could not deal with. A source
// well separated from the target goes into the target's local expansion (M2L), once for all particles below; a source larger than the
// target is opened; what remains is handed down. A group at the bottom opens all that remains, down to particles (P2P). Expansions are
// handed down too (L2L) and evaluated at the particles of each group (L2P).
#pragma once

#include <functional>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/tree/fmm_targets.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

namespace fmm_walk {

/// A leaf with so few particles costs less than its multipole at each target.
inline constexpr std::uint32_t few_particles = 3;
/// On the stack of a warp, marks cells that must not go into the local expansion.
inline constexpr std::uint32_t forbidden_bit = 1U << 31;

}  // namespace fmm_walk

/// A bound for the box around all particles of a tree.
struct LongestBox {
  double longest = 0;  ///< code units; 0: there is none
  double length = 1;   ///< TreeScale::length of the tree

  /// False, too, if a position is not finite.
  GROVE_HD bool holds(const CellGeometry& root) const {
    const float* const half = root.half_size;
    const double longest_half = larger(larger(half[0], half[1]), half[2]);
    return longest == 0 || 2 * length * longest_half + 0 * (half[0] + half[1] + half[2]) <= longest;
  }
};

/// The targets of a walk and their data.
struct FmmWalkTargets {
  TreeView own_tree;                           ///< the tree to which the target cells belong
  const float* least_acceleration;             ///< [cells of own_tree]
  View<const Double4> particles;               ///< position and mass, code units
  View<const float> group_least_acceleration;  ///< [groups] smallest last acceleration, scaled as in Tree
  View<Double4> acceleration;                  ///< out: acceleration and potential, code units, G included
  View<GroupWork> work;                        ///< [groups] out
  ActiveTargets active{};                      ///< the targets to walk for
  LongestBox longest_box{};                    ///< a walk for targets whose tree has a longer box is refused
};

/// The walk, with its memory for the lists of source cells handed down.
template <class Space>
class FmmWalk {
 public:
  explicit FmmWalk(Space& space) : lists_(space), list_range_(space), local_(space), cell_work_(space) {}

  /// On a GPU: whether the time that a walk takes, for all of so many particles, is that of the slowest group rather than that of all.
  static bool waits_for_slowest_group(const Space& space, ExpansionForm form, std::size_t particles);

  /// Begins a set of walks for the same targets, whose work adds up. Asynchronous.
  void begin(Space& space, std::uint32_t target_cells);

  /// Walks `sources`, whose multipoles have the form of `law`, for the targets in `data`: all, or those that are active. `law` is in the
  /// units of the trees. Returns false if it is refused: then nothing was set but work. Synchronises once, and whenever the lists need more
  /// memory. Throws std::logic_error for multipoles of another form.
  ///
  /// `meanwhile` enqueues what needs no host after the walk, while the host hears of its end. It may be called again.
  bool walk(Space& space, const ScaledLaw& law, const TreeView& sources, const FmmTargets<Space>& targets, const FmmWalkTargets& data,
            WalkMode mode, const std::function<void()>& meanwhile = {});

  /// Cell-cell interactions and opening tests at the target cells above the groups, summed over the walks since begin(); undefined before
  /// the first one.
  View<const GroupWork> cell_work() const { return cell_work_.view(); }

 private:
  Buffer<Space, std::uint32_t> lists_;           ///< source cells handed down, of all target cells
  StepBuffer<Space, std::uint64_t> list_range_;  ///< [target cells] begin and end in lists_, in the low and high 32 bits
  StepBuffer<Space, float> local_;               ///< [target cells * local_stride(order)] local expansions
  StepBuffer<Space, GroupWork> cell_work_;       ///< [target cells]
  std::size_t most_used_ = 0;                    ///< largest use of lists_, in the walks since begin()
  bool clears_work_ = false;                     ///< the next walk does: the first one since begin()
  std::uint32_t cells_before_ = 0;               ///< target cells of those walks
  std::uint32_t longest_list_ = 512;             ///< room for what one target cell hands down
};

}  // namespace grove
