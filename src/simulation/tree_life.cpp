#include "src/simulation/tree_life.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/space/error.hpp"
#include "src/simulation/force_solver.hpp"

namespace grove {

namespace {

/// Boxes are longer by this part at the ends of a life than in its middle, in the root mean square: then walks are longer by less than a
/// new tree would cost (docs/measurements.md), and potentials, whose error depends on the size of cells, differ little.
constexpr double growth_at_ends = 0.15;
/// No group's box becomes longer than its own length by more than this factor: its targets would meet all that is inside one by one. The
/// fastest groups are those of few particles that are close by chance.
constexpr double largest_growth = 3;
/// Trees that live for one evaluation, until the motion is learned once more: that is a sum over all particles, for which the host waits.
constexpr int trees_unlearned = 8;

constexpr const char* saved_motion = "tree.motion";

}  // namespace

int TreeLife::planned(double drift) const {
  if (drift == 0 || !is_known_ || most_ <= 1) return 1;
  // The ends are half a life less half a step away.
  const double usual = std::sqrt(mean_square_) * std::abs(drift), fastest = largest_ * std::abs(drift);
  double life = most_;
  if (usual > 0) life = std::min(life, 1 + 2 * growth_at_ends / usual);
  if (fastest > 0) life = std::min(life, 1 + 2 * largest_growth / fastest);
  return std::max(1, static_cast<int>(life));
}

bool TreeLife::asks_for_motion(int planned_life) const {
  return most_ > 1 && (!is_known_ || planned_life > 1 || trees_since_ >= trees_unlearned);
}

void TreeLife::learn(const GroupMotion& motion) {
  is_known_ = true;
  mean_square_ = motion.mean_square();
  largest_ = motion.largest;
  trees_since_ = 0;
}

void TreeLife::save(SavedState& state) const {
  state.put(saved_tree_life, SavedState::Counts{static_cast<std::uint64_t>(life_), static_cast<std::uint64_t>(served_), is_known_ ? 1U : 0U,
                                                static_cast<std::uint64_t>(trees_since_)});
  state.put(saved_motion, SavedState::Numbers{drift_, mean_square_, largest_});
}

void TreeLife::restore(const SavedState& state) {
  forget();
  if (!state.has(saved_tree_life)) return;
  const SavedState::Counts& counts = state.counts(saved_tree_life);
  if (counts.size() != 4) throw DataError(std::string(saved_tree_life) + ": has a wrong length");
  const SavedState::Numbers& motion = state.numbers(saved_motion, 3);
  life_ = std::min(most_, static_cast<int>(counts[0]));
  served_ = static_cast<int>(counts[1]);
  is_known_ = counts[2] != 0;
  trees_since_ = static_cast<int>(counts[3]);
  drift_ = motion[0];
  mean_square_ = motion[1];
  largest_ = motion[2];
}

}  // namespace grove
