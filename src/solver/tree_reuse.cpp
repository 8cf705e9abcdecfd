#include "src/solver/tree_reuse.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

/// In the first and the last step of a tree boxes are longer by this part than in the middle, in the root mean square: then walks are
/// longer by less than a new tree would cost (docs/development/constants.md), and potentials, whose error depends on the size of cells,
/// differ little.
constexpr double growth_at_ends = 0.15;
/// The same where walks are for some of the particles.
constexpr double growth_for_some = 0.3;
/// Where each step has a new tree, the motion is found once in so many: that is a sum over all particles, for which the host waits.
constexpr int trees_without_motion = 8;

constexpr const char* saved_steps = "tree.life";
constexpr const char* saved_motion = "tree.motion";

}  // namespace

int TreeReuse::planned_steps(double drift, bool for_some) const {
  if (drift == 0 || !has_motion_ || most_steps_ <= 1) return 1;
  // The first and the last step are half of all drifts away from the middle.
  const double growth = std::sqrt(mean_square_) * std::abs(drift);
  const double allowed = for_some ? growth_for_some : growth_at_ends;
  return growth > 0 ? static_cast<int>(std::min<double>(most_steps_, 1 + 2 * allowed / growth)) : most_steps_;
}

bool TreeReuse::needs_motion(int planned_steps) const {
  return most_steps_ > 1 && (!has_motion_ || planned_steps > 1 || trees_since_motion_ >= trees_without_motion);
}

void TreeReuse::set_motion(const GroupMotion& motion) {
  has_motion_ = true;
  mean_square_ = motion.mean_square();
  trees_since_motion_ = 0;
}

void TreeReuse::save(SavedState& state) const {
  state.put(saved_steps, SavedState::Counts{static_cast<std::uint64_t>(steps_), static_cast<std::uint64_t>(steps_begun_),
                                            has_motion_ ? 1U : 0U, static_cast<std::uint64_t>(trees_since_motion_)});
  state.put(saved_motion, SavedState::Numbers{drift_, mean_square_});
}

void TreeReuse::restore(const SavedState& state) {
  const SavedState::Counts& counts = state.counts(saved_steps);
  if (counts.size() != 4) throw DataError(std::string(saved_steps) + ": has a wrong length");
  const SavedState::Numbers& motion = state.numbers(saved_motion, 2);
  steps_ = std::min(most_steps_, static_cast<int>(counts[0]));
  steps_begun_ = static_cast<int>(counts[1]);
  has_motion_ = counts[2] != 0;
  trees_since_motion_ = static_cast<int>(counts[3]);
  drift_ = motion[0];
  mean_square_ = motion[1];
}

}  // namespace grove
