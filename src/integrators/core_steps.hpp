// The steps of the core: on the CPU loop by loop, on a GPU all in one kernel.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/space/space.hpp"
#include "src/integrators/rung_loops.hpp"
#include "src/integrators/rung_work.hpp"

namespace grove {

/// More than these a core cannot have.
inline constexpr std::uint64_t most_in_core = 65536;

/// A time in which the core takes its own steps.
struct CoreStep {
  const GravityLaw& law;
  const RungRules& rules;
  int coarsest;              ///< rung of the core
  std::uint64_t begin, end;  ///< ticks

  Rungs own() const { return {coarsest, beyond_all_rungs}; }
  double half() const { return 0.5 * rules.base * static_cast<double>(end - begin) / static_cast<double>(base_ticks); }
};
/// The step of the limit that begins at a tick, for particles on finer rungs.
inline CoreStep step_of_limit(const GravityLaw& law, const RungRules& rules, int limit, std::uint64_t begin) {
  return {law, rules, limit + 1, begin, begin + ticks_of(limit)};
}

GROVE_HD inline Double4 difference(const Double4& a, const Double4& b) { return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }

/// The rest is what is left of all forces without those of the core.
struct KickByRest {
  ParticleView p;
  Double4* rest;  ///< in: all forces
  double half;
  GROVE_HD void operator()(std::size_t i) const {
    rest[i] = difference(rest[i], p.acceleration[i]);
    p.velocity[i] = p.velocity[i] + half * position_of(rest[i]);
  }
};

/// Takes the particles `p` through the step. `rest` [particles]: the accelerations by all particles at its beginning, and afterwards those
/// by all that are not in the core, while the accelerations of `p` are those by the core; null: the core is all, and its accelerations are
/// known. Adds what was done to `work`. Returns the finest rung that is occupied; if that is beyond the deepest one, the step has not been
/// taken to its end. Synchronises.
template <class Space>
int take_core_steps(Space& space, Particles<Space>& p, Double4* rest, const CoreStep& step, RungCensus& work);

}  // namespace grove
