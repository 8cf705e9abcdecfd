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
  TreeWalks(Space& space, Walker<Space>& walker, const OwnTree<Space>& own, OtherTrees<Space>& others)
      : space_(space), walker_(walker), own_(own), others_(others), part_(space) {}

  /// Sets acceleration, potential and work of the active particles, as ForceSolver::forces() does. Returns false on one rank, and has set
  /// nothing but work, if the walk checks the box around the particles (checks_box()) and finds it longer than `longest_box`.
  bool run(Particles<Space>& particles, const std::uint8_t* active, const LongestBox& longest_box, PhaseClock<Space>& clock,
           const std::function<void()>& meanwhile);
  /// Whether the walk itself checks the box around the particles, so that no host needs to wait for the moments.
  bool checks_box() const { return !others_.exist() && own_.tree().class_count == 1 && walker_.checks_box(); }
  /// Sets the work of all particles to a value that says it is not known. Asynchronous.
  void forget_work(Particles<Space>& particles);
  /// Work of the last run(). Synchronises.
  WorkCounts work_counts();

 private:
  bool walk_alone(Particles<Space>& particles, const std::uint8_t* active, const LongestBox& longest_box, PhaseClock<Space>& clock,
                  const std::function<void()>& meanwhile);
  void walk_together(const std::uint8_t* active, PhaseClock<Space>& clock);
  void walk_own_and_other_trees(Particles<Space>& particles, const std::uint8_t* active, PhaseClock<Space>& clock);
  template <class ViewOfClass>
  void walk_classes(const std::uint8_t* active, WalkMode mode, ViewOfClass view_of);
  void spread_work(Particles<Space>& particles);

  Space& space_;
  Walker<Space>& walker_;
  const OwnTree<Space>& own_;
  OtherTrees<Space>& others_;
  Buffer<Space, std::uint8_t> part_;  ///< with several classes: not 0 for the active particles of the class that is walked for
};

}  // namespace grove
