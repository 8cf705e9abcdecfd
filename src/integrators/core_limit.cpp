#include "src/integrators/core_limit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace grove {

namespace {

int finest_of(std::span<const std::uint64_t> particles) {
  int finest = -1;
  for (std::size_t r = 0; r < particles.size(); ++r)
    if (particles[r] > 0) finest = static_cast<int>(r);
  return finest;
}

double steps_of(int rung) { return std::ldexp(1.0, rung); }

/// The particles beyond a limit, and the steps that they take in a base step.
struct Beyond {
  double particles = 0, steps = 0;
};
Beyond beyond(std::span<const std::uint64_t> particles, int limit) {
  Beyond sum;
  for (int r = limit + 1; std::cmp_less(r, particles.size()); ++r) {
    const auto count = static_cast<double>(particles[static_cast<std::size_t>(r)]);
    sum.particles += count;
    sum.steps += count * steps_of(r);
  }
  return sum;
}

}  // namespace

std::optional<int> core_limit(std::span<const std::uint64_t> particles, std::uint64_t most, int ranks, const StepCosts& costs,
                              bool may_be_all) {
  const int finest = finest_of(particles);
  const Beyond whole = beyond(particles, all_rungs);
  const double all = steps_of(finest);
  // Of so many sub-steps outside of the core, in which so many particles get a force in all.
  const auto of_others = [&](double sub_steps, double updates) {
    const double with_trees = (costs.sub_step + costs.particle * whole.particles / ranks) * sub_steps + costs.update / ranks * updates;
    return std::min(with_trees, costs.few_sub_step * sub_steps + costs.few_pair * whole.particles * updates);
  };
  std::optional<int> best;
  double least = of_others(all, whole.steps);
  for (int limit = may_be_all ? all_rungs : 0; limit < finest; ++limit) {
    const Beyond core = beyond(particles, limit);
    if (core.particles > static_cast<double>(most)) continue;
    // Where all are the core, there are no steps of the limit.
    const double of_limit = limit == all_rungs ? 0 : steps_of(limit);
    // The forces in the core at the beginning of each step of the limit come to those of its own steps.
    const double pairs = core.particles * (core.steps + core.particles * of_limit);
    const double cost = of_others(of_limit, whole.steps - core.steps + core.particles * of_limit) + costs.core_sub_step * (all + of_limit) +
                        costs.pair * pairs + costs.exchange * of_limit;
    if (cost < least) best = limit, least = cost;
  }
  return best;
}

}  // namespace grove
