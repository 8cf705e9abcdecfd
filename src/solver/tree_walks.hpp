// The walks of a force evaluation: of the own tree and those of the other ranks, for each class of softening.
#pragma once

#include <functional>

#include "src/solver/other_trees.hpp"
#include "src/solver/own_tree.hpp"
#include "src/solver/walkers.hpp"

namespace grove {

template <class Space>
class TreeWalks {
 public:
  /// All arguments must outlive it.
  TreeWalks(Space& space, const GravityLaw& law, Walker<Space>& walker, const OwnTree<Space>& own, OtherTrees<Space>& others)
      : space_(space), law_(law), walker_(walker), own_(own), others_(others) {}

  /// Sets acceleration, potential and work of the active particles, as ForceSolver::forces() does, if all walks of this rank are complete.
  /// Walks for which checks_bounds() check `bounds`.
  WalkOutcome run(Particles<Space>& particles, const std::uint8_t* active, const TreeBounds& bounds, PhaseClock<Space>& clock,
                  const std::function<void()>& meanwhile);
  /// Whether the walk itself checks the bounds of the tree, so that no host needs to wait for the moments.
  bool checks_bounds() const { return own_.tree().class_count == 1 && walker_.checks_bounds(); }
  /// Sets the work of all particles to a value that says it is not known. Asynchronous.
  void forget_work(Particles<Space>& particles);
  /// Work of the last run(). Synchronises.
  WorkCounts work_counts();

 private:
  WalkOutcome walk_together(const Particles<Space>& particles, const TreeBounds& bounds, PhaseClock<Space>& clock,
                            const std::function<void()>& after_walk);
  WalkOutcome walk_one_after_the_other(const Particles<Space>& particles, const TreeBounds& bounds, PhaseClock<Space>& clock,
                                       const std::function<void()>& after_walk);
  template <class ViewOfClasses>
  WalkOutcome walk_classes(const Particles<Space>& particles, WalkMode mode, const TreeBounds& bounds, ViewOfClasses view_of,
                           const std::function<void()>& meanwhile);
  bool takes_direct_summation(int its_class) const;
  WalkOutcome sum_on_class(const Particles<Space>& particles, int its_class);
  void spread_work(Particles<Space>& particles);

  Space& space_;
  const GravityLaw& law_;
  Walker<Space>& walker_;
  const OwnTree<Space>& own_;
  OtherTrees<Space>& others_;
};

}  // namespace grove
