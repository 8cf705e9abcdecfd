#include "src/simulation/tree_life.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/space/error.hpp"
#include "src/simulation/force_solver.hpp"

namespace grove {

namespace {

// With boxes longer by the part x at the ends of a life, x = growth * drift * (life - 1) / 2, walks are longer by a part of x^2 in the
// mean; a new tree costs a part of a walk. The sum of both is least at life^3 = lives / (growth * drift)^2. docs/performance.md has what
// was measured: 0.7 to 2.2 in different systems, with a mean step that hardly depends on it.
constexpr double lives = 1.5;
/// No group's box becomes longer than its own length by more than this factor: its targets would meet all that is inside one by one. The
/// fastest groups are those of few particles that are close by chance.
constexpr double largest_growth = 3;
/// Trees that live for one evaluation, until the motion is learned once more: it costs some per cent of a step.
constexpr int trees_unlearned = 8;

constexpr const char* saved_motion = "tree.motion";

}  // namespace

int TreeLife::planned(double drift) const {
  if (drift == 0 || !is_known_ || most_ <= 1) return 1;
  const double squared = mean_square_ * drift * drift, fastest = largest_ * std::abs(drift);
  double life = most_;
  if (squared > 0) life = std::min(life, std::cbrt(lives / squared));
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
  state.put(saved_motion, SavedState::Numbers{mean_square_, largest_});
}

void TreeLife::restore(const SavedState& state) {
  forget();
  if (!state.has(saved_tree_life)) return;
  const SavedState::Counts& counts = state.counts(saved_tree_life);
  if (counts.size() != 4) throw DataError(std::string(saved_tree_life) + ": has a wrong length");
  const SavedState::Numbers& motion = state.numbers(saved_motion, 2);
  life_ = static_cast<int>(counts[0]);
  served_ = static_cast<int>(counts[1]);
  is_known_ = counts[2] != 0;
  trees_since_ = static_cast<int>(counts[3]);
  mean_square_ = motion[0];
  largest_ = motion[1];
}

}  // namespace grove
