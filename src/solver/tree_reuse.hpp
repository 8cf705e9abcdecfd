// How many force evaluations reuse a tree.
#pragma once

#include <cmath>

#include "kernels/base/saved_state.hpp"
#include "kernels/tree/group_motion.hpp"

namespace grove {

/// Decides on tree reuse. A tree may be used for several steps: its cells keep their particles, and their extents and moments are found
/// anew in each step. The walks then become longer, as the boxes around the particles of a cell grow; a new tree takes time for keys, sort
/// and links. A tree is reused as long as its boxes grow little, as predicted from the motion in the groups of an earlier tree.
///
/// The number of steps is known before the tree is built, since the tree is built for the middle of these steps, from where the particles
/// will be then (see ParticleKeys). So the boxes shrink as long as they grow, and are half as much too large in the mean. Above all, the
/// errors of forces in the last step are like those in the first: otherwise the particles of a cell always move apart while the errors of
/// their cell belong together, and energy drifts (docs/development/constants.md).
///
/// The same on all ranks.
class TreeReuse {
 public:
  /// A tree is used for `most_steps` steps at most; 1: each step has a new one.
  explicit TreeReuse(int most_steps) : most_steps_(most_steps) {}

  /// For how many steps to use a tree of particles that move for a time `drift` from each step to the next. One if that is 0: not known.
  /// `for_some`: the step that makes the tree computes forces for some of the particles alone, and so will most that reuse it. Their walks
  /// are short, a new tree takes as long as ever.
  int planned_steps(double drift, bool for_some = false) const;
  /// Whether the motion of the particles of a new tree is wanted. Where each step has a new tree, it is wanted of some of them.
  bool needs_motion(int planned_steps) const;
  /// Sets what planned_steps() follows from.
  void set_motion(const GroupMotion& motion);

  /// A new tree is used for its first step, with this drift to the next one.
  void begin(int steps, double drift) {
    steps_ = steps;
    drift_ = drift;
    steps_begun_ = 1;
    ++trees_since_motion_;
  }
  /// The tree is not used again.
  void end() { steps_ = steps_begun_ = 0; }
  /// All particles are replaced.
  void reset() { *this = TreeReuse(most_steps_); }
  /// Whether the tree can be used for a step with this drift to the next one. With another drift than before, it would not be in the middle
  /// of its steps where it should be.
  bool can_reuse(double drift) const { return steps_begun_ < steps_ && drift == drift_; }
  void begin_step() { ++steps_begun_; }
  /// Whether the present step is not the first one of its tree.
  bool is_reused() const { return steps_begun_ > 1; }
  double drift() const { return drift_; }
  /// From the present step to the last one of its tree; 0 if that is the present one.
  double time_left() const { return (steps_ - steps_begun_) * std::abs(drift_); }

  void save(SavedState& state) const;
  void restore(const SavedState& state);

 private:
  int most_steps_;
  int steps_ = 0, steps_begun_ = 0;  ///< of the present tree
  double drift_ = 0;                 ///< from each of its steps to the next
  bool has_motion_ = false;
  double mean_square_ = 0;  ///< of the motion
  int trees_since_motion_ = 0;
};

}  // namespace grove
