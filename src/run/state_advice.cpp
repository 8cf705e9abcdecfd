#include "src/run/state_advice.hpp"

#include <fmt/format.h>

#include <cmath>

namespace grove {

namespace {

constexpr double largest_energy_error = 1e-2;
/// The step that would do is known to a part in 1000.
constexpr double rounding = 0.998;

}  // namespace

std::vector<std::string> advice_on_first_state(const EnergyState& energy, const StepCheck& check, const StepSchedule& schedule) {
  std::vector<std::string> advice;
  const double total = energy.sums.total_energy();
  if (total > 0 && !energy.sums.is_held)
    advice.push_back(
        fmt::format("the total energy is positive ({:.3g}, virial ratio {:.3g}): the particles are not bound to each other{}. Are "
                    "velocities, masses and G in the units of the configuration?",
                    total, energy.virial_ratio, energy.sums.external != 0 ? " and to the external potentials" : ""));
  if (check.too_long > tolerated_share) {
    const double duration = schedule.time(schedule.steps()) - schedule.time(0), steps = std::ceil(duration / (rounding * check.would_do));
    advice.push_back(
        fmt::format("time.dt = {:.6g} is long for {:.0f} % of the particles, whose acceleration changes within it; {:.10g} ({:.0f} steps) "
                    "would do (sqrt(0.05 softening / acceleration))",
                    schedule.dt(), 100 * check.too_long, duration / steps, steps));
  }
  return advice;
}

std::string advice_on_energy_error(double relative_error) {
  if (std::abs(relative_error) <= largest_energy_error) return "";
  return fmt::format(
      "the energy has changed by {:.2g} of itself: a smaller time.dt, a larger gravity.softening or a smaller gravity.tolerance is "
      "needed",
      std::abs(relative_error));
}

}  // namespace grove
