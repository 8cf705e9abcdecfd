#include "src/integrators/adams_bashforth.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "src/integrators/motion_sums.hpp"

namespace grove {

template <class Space>
AdamsBashforth<Space>::AdamsBashforth(const AdamsBashforthRow& row, const StepParameters& steps, const GravityParameters& gravity)
    : row_(row), starter_(*find_tableau(row.starter), {}, steps, gravity) {}

template <class Space>
void AdamsBashforth<Space>::end(StepContext<Space>& context, double dt) {
  const std::uint64_t k = row_.weights.size();
  // Schedules may differ in the last bits.
  if (!(std::abs(dt - dt_) <= 1e-9 * std::abs(dt_))) known_ = 0;
  dt_ = dt;
  known_ = std::min(known_ + 1, k);
  newest_ = (newest_ + 1) % k;
  keep_velocity(context, vectors(context, past_velocity_field(newest_)));
  keep_acceleration(context, vectors(context, past_acceleration_field(newest_)));
  if (known_ < k) return starter_.end(context, dt);
  VectorSum way, kick;
  for (std::uint64_t j = 0; j < k; ++j) {
    const std::uint64_t row = (newest_ + k - j) % k;
    way.add(vectors(context, past_velocity_field(row)), dt * row_.weights[j]);
    kick.add(vectors(context, past_acceleration_field(row)), dt * row_.weights[j]);
  }
  move(context, way, kick);
  context.positions_are_at(dt);
  context.compute_forces();
}

template <class Space>
void AdamsBashforth<Space>::save(SavedState& state) const {
  state.put_number("adams_bashforth.dt", dt_);
  state.put("adams_bashforth.past", SavedState::Counts{row_.weights.size(), known_, newest_});
}

template <class Space>
void AdamsBashforth<Space>::restore(const SavedState& state) {
  known_ = 0;
  if (!state.has("adams_bashforth.past")) return;
  const SavedState::Counts& past = state.counts("adams_bashforth.past");
  const std::uint64_t k = row_.weights.size();
  if (past.size() != 3 || past[1] > past[0] || past[2] >= past[0]) throw DataError("adams_bashforth.past: is damaged");
  if (past[0] != k) return;  // of a method of another order
  known_ = past[1];
  newest_ = past[2];
  dt_ = state.number("adams_bashforth.dt");
}

template class AdamsBashforth<BackEnd>;

}  // namespace grove
