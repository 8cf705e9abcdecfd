// The two walks of trees behind one interface: groups that evaluate multipoles (`tree`), and the dual walk with local expansions (`fmm`).
#pragma once

#include "decomposition/essential_tree.hpp"
#include "kernels/dual_walk.hpp"
#include "kernels/particles.hpp"
#include "kernels/walk.hpp"
#include "src/simulation.hpp"

namespace grove {

/// Walks trees for the targets of this rank.
template <class Space>
class TreeWalker {
 public:
  virtual ~TreeWalker() = default;

  virtual int multipole_order() const = 0;

  /// Divides the particles of `tree`, whose keys are those of `cube`, into target groups. `last_acceleration` is what criteria of relative
  /// error look at. All must stay as they are until the last walk. Synchronises.
  virtual void set_targets(const Tree<Space>& tree, const KeyCube& cube, const Particles<Space>& particles,
                           View<const Double4> last_acceleration) = 0;
  virtual View<const std::uint32_t> group_start() const = 0;
  /// Sets or adds the forces of `sources`.
  virtual void walk(const GravityParameters& gravity, const TreeScale& scale, const TreeView& sources, WalkMode mode) = 0;
  /// Work of the walks since set_targets(). Synchronises.
  virtual WorkCounts work_counts() = 0;
  /// Work of each group in the walks since set_targets().
  virtual View<const GroupWork> group_work() const = 0;
};

template <class Space>
class GroupWalker final : public TreeWalker<Space> {
 public:
  explicit GroupWalker(Space& space) : space_(space), group_start_(space), group_work_(space) {}
  int multipole_order() const override { return 2; }
  void set_targets(const Tree<Space>& tree, const KeyCube& cube, const Particles<Space>& particles,
                   View<const Double4> last_acceleration) override;
  View<const std::uint32_t> group_start() const override { return group_start_.view(); }
  void walk(const GravityParameters& gravity, const TreeScale& scale, const TreeView& sources, WalkMode mode) override;
  WorkCounts work_counts() override;
  View<const GroupWork> group_work() const override { return group_work_.view(); }

 private:
  Space& space_;
  WalkTargets targets_;
  Buffer<Space, std::uint32_t> group_start_;
  Buffer<Space, GroupWork> group_work_;
};

template <class Space>
class DualWalker final : public TreeWalker<Space> {
 public:
  /// `order` of the expansions, 4 or 5.
  DualWalker(Space& space, int order) : space_(space), order_(order), targets_(space), dual_walk_(space), group_work_(space) {}
  int multipole_order() const override { return order_; }
  void set_targets(const Tree<Space>& tree, const KeyCube& cube, const Particles<Space>& particles,
                   View<const Double4> last_acceleration) override;
  View<const std::uint32_t> group_start() const override { return targets_.group_start(); }
  void walk(const GravityParameters& gravity, const TreeScale& scale, const TreeView& sources, WalkMode mode) override;
  WorkCounts work_counts() override;
  View<const GroupWork> group_work() const override { return group_work_.view(); }

 private:
  Space& space_;
  const int order_;
  DualTargets<Space> targets_;
  DualWalkTargets data_;
  DualWalk<Space> dual_walk_;
  Buffer<Space, GroupWork> group_work_;
};

}  // namespace grove
