#include "src/advice/state_advice.hpp"

#include <fmt/format.h>

#include <cmath>

namespace grove {

namespace {

constexpr double largest_energy_error = 1e-2;
/// The proposed step is known to one part in 1000.
constexpr double rounding = 0.998;

/// Limits of the virial ratios of bound systems, except those that start nearly at rest.
constexpr double largest_ratio = 10, smallest_ratio = 1e-3;

/// Whether most pairs are closer than the softening. If all were much closer, the potential energy would be that of pairs at distance 0,
/// G M^2 / (2 softening); at half of that, most are.
bool softens_all(const Diagnostics& sums, const GravityParameters& gravity) {
  return gravity.softening > 0 && gravity.softening_of_component.empty() && sums.mass > 0 &&
         std::abs(sums.potential) > 0.25 * gravity.G * sums.mass * sums.mass / gravity.softening;
}

/// A sentence on a softening or units of the run that do not fit.
std::string likely_cause(const Config& config, const Diagnostics& sums) {
  if (softens_all(sums, config.gravity))
    return fmt::format("The likely cause is gravity.softening = {:.6g}, which is larger than most distances between particles",
                       config.gravity.softening);
  const std::string cause = "The likely cause are units or a gravity.G that do not fit the particles: ";
  if (!is_physical(config.units))
    return cause + fmt::format(
                       "the run has N-body units and gravity.G = {:.6g}; particles in physical units need [units], as units.system = "
                       "\"kpc, km/s, 1e10 Msun\"",
                       config.gravity.G);
  const std::string other = advice_on_G(config.gravity.G, config.units);
  if (!other.empty()) return cause + other;
  return cause +
         fmt::format("[units] says {}, in which gravity.G = {:.6g} is the physical constant", in_words(config.units), config.gravity.G);
}

}  // namespace

std::vector<std::string> advice_on_first_state(const Diagnostics& sums, const StepCriterion& check, const StepSchedule& schedule,
                                               const Config& config) {
  std::vector<std::string> advice;
  const double total = sums.total_energy(), ratio = sums.virial_ratio();
  if (total > 0 && !sums.is_held)
    advice.push_back(fmt::format(
        "the total energy is positive ({:.3g}, virial ratio {:.3g}): the particles are not bound to each other{}. {}", total, ratio,
        sums.external != 0 ? " and to the external potentials" : "",
        ratio > largest_ratio || softens_all(sums, config.gravity) ? likely_cause(config, sums)
                                                                   : "Are velocities, masses and G in the units of the configuration?"));
  else if (!sums.is_held && ratio > 0 && ratio < smallest_ratio)
    advice.push_back(fmt::format("the virial ratio is {:.3g}: the particles hardly move for their masses. Unless that is meant: {}", ratio,
                                 likely_cause(config, sums)));
  const std::string step = advice_on_step(sums, check, schedule);
  if (!step.empty()) advice.push_back(step);
  return advice;
}

std::string advice_on_step(const Diagnostics& sums, const StepCriterion& check, const StepSchedule& schedule) {
  if (check.too_long <= tolerated_share) return "";
  const bool is_from_outside = std::abs(sums.external_virial) > std::abs(sums.potential);
  const double dt = schedule.dividing_step(rounding * check.would_do), steps = std::round(schedule.duration() / dt);
  return fmt::format(
      "time.dt = {} is long for {:.0f} % of the particles, whose acceleration changes within it; {} ({} steps) "
      "would do (sqrt(0.05 softening / acceleration)){}",
      schedule.text(schedule.dt()), 100 * check.too_long, schedule.text(dt),
      steps < 1e15 ? fmt::format("{:.0f}", steps) : fmt::format("{:.3g}", steps),
      is_from_outside ? ". The accelerations are mostly those of external potentials, of which the softening knows nothing: "
                        "the energy error of a short run tells more"
                      : "");
}

std::string advice_on_potential_holders(const PotentialHolders& holders, const TimeParameters& time) {
  if (!holders.hide_the_others()) return "";
  return fmt::format(
      "{} of {} particles have {:.1f} % of the potential energy: energy errors are mostly theirs, and say little of the other {}. For "
      "these, compare with a run of half the {}",
      holders.count, holders.count + holders.others, std::floor(1000 * holders.share) / 10, holders.others,
      time.chooses_steps() ? "time.accuracy" : "time.dt");
}

std::string advice_on_energy_error(const Diagnostics& sums, double largest, bool are_divided) {
  if (std::abs(largest) <= largest_energy_error || sums.is_driven) return "";
  if (sums.change_of_each)
    return fmt::format(
        "not accurate: v^2 / 2 + potential of a particle, which does not change, was wrong by up to {:.2g} of itself in the "
        "mean: a smaller time.dt is needed",
        largest);
  return fmt::format(
      "not accurate: the energy was wrong by up to {:.2g} of {}: a smaller {} or a larger gravity.softening is needed or, where forces "
      "come from a tree, a smaller gravity.tolerance or gravity.theta{}",
      std::abs(largest),
      sums.differs_from_total()
          ? "the system's own energy (without its motion as a whole, external potentials and a particle of more than half of the mass)"
          : "itself",
      are_divided ? "time.accuracy" : "time.dt",
      are_divided ? "; around a black hole with a short softening of its own, time.criterion = \"potential\" does more" : "");
}

}  // namespace grove
