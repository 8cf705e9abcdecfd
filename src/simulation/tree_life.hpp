// For how many force evaluations a tree serves.
#pragma once

#include "io/saved_state.hpp"
#include "kernels/tree/group_motion.hpp"

namespace grove {

/// A tree may serve several force evaluations: its cells keep their particles, and their extents and moments are found anew for each. The
/// walks then become longer, as the boxes around the particles of a cell grow; a new tree takes time for keys, sort and links. A tree lives
/// as long as its boxes grow little, as told by the motion in the groups of the tree before.
///
/// It is known before the tree is built, since the tree is built for the middle of its life, from where the particles will be then
/// (see ParticleKeys). So the boxes shrink as long as they grow, and are half as much too large in the mean. Above all, the errors of
/// forces at the end of the life are like those at its beginning: otherwise the particles of a cell always move apart as long as the errors
/// of their cell belong together, and energy drifts (docs/measurements.md).
///
/// The same on all ranks.
class TreeLife {
 public:
  /// `most` evaluations for each tree; 1: a new one for each.
  explicit TreeLife(int most) : most_(most) {}

  /// The life of a tree of particles that move for a time `drift` from each evaluation to the next; 0: it is not known, and the life is 1.
  int planned(double drift) const;
  /// Whether the motion of the particles of this tree is to be learned. While trees live for one evaluation, that of a few among them is.
  bool asks_for_motion(int planned_life) const;
  /// What planned() follows from.
  void learn(const GroupMotion& motion);

  /// A tree begins to live, and serves its first evaluation, with this drift to the next one.
  void begin(int life, double drift) {
    life_ = life;
    drift_ = drift;
    served_ = 1;
    ++trees_since_;
  }
  /// No tree lives.
  void end() { life_ = served_ = 0; }
  /// The particles are others.
  void forget() { *this = TreeLife(most_); }
  /// Whether the tree serves one more, or more.
  bool lives() const { return served_ < life_; }
  /// Whether it serves one from which to the next there is this drift: with another one it would not be in the middle of its life when it
  /// should be.
  bool goes_on(double drift) const { return lives() && drift == drift_; }
  void serve() { ++served_; }
  double drift() const { return drift_; }

  void save(SavedState& state) const;
  /// Leaves all as at the beginning where the state has nothing.
  void restore(const SavedState& state);

 private:
  int most_;
  int life_ = 0, served_ = 0;
  double drift_ = 0;       ///< of the tree
  bool is_known_ = false;  ///< the motion
  double mean_square_ = 0, largest_ = 0;
  int trees_since_ = 0;  ///< trees since the motion was learned
};

}  // namespace grove
