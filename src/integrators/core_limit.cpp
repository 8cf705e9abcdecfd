#include "src/integrators/core_limit.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>

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
  for (std::size_t r = static_cast<std::size_t>(limit) + 1; r < particles.size(); ++r) {
    const auto count = static_cast<double>(particles[r]);
    sum.particles += count;
    sum.steps += count * steps_of(static_cast<int>(r));
  }
  return sum;
}

}  // namespace

std::optional<int> core_limit(std::span<const std::uint64_t> particles, std::uint64_t most, int ranks, const StepCosts& costs) {
  const int finest = finest_of(particles);
  const double of_rank = static_cast<double>(std::accumulate(particles.begin(), particles.end(), std::uint64_t{0})) / ranks;
  std::optional<int> best;
  double most_saved = 0;
  for (int limit = 0; limit < finest; ++limit) {
    const Beyond core = beyond(particles, limit);
    if (core.particles > static_cast<double>(most)) continue;
    const double all = steps_of(finest), of_limit = steps_of(limit);
    const double others =
        (costs.sub_step + costs.particle * of_rank) * (all - of_limit) + costs.update / ranks * (core.steps - core.particles * of_limit);
    // The forces in the core at the beginning of each step of the limit come to those of its own steps.
    const double pairs = core.particles * (core.steps + core.particles * of_limit);
    const double saved = others - costs.core_sub_step * (all + of_limit) - costs.pair * pairs - costs.exchange * of_limit;
    if (saved > most_saved) best = limit, most_saved = saved;
  }
  return best;
}

}  // namespace grove
