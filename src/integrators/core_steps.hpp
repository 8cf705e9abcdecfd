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

template <class Space>
struct CoreParticles {
  explicit CoreParticles(Space& space) : particles(space, fields_with({rung_row()})), rest(space), index(space) {}

  Particles<Space> particles;   ///< their accelerations are those by the core
  Buffer<Space, Double4> rest;  ///< all other accelerations
  Buffer<Space, std::uint32_t> index;
};

/// A step of the limit, in which the core takes its own.
struct CoreStep {
  const GravityLaw& law;
  const RungRules& rules;
  int limit;
  std::uint64_t begin;  ///< tick

  Rungs own() const { return {limit + 1, beyond_all_rungs}; }
  std::uint64_t end() const { return begin + ticks_of(limit); }
  double half() const { return 0.5 * std::ldexp(rules.base, -limit); }
};

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

/// Takes the core through the step, with `rest` the accelerations by all particles at its beginning. Adds what was done to `work`. Returns
/// the finest rung that is occupied; if that is beyond the deepest one, the step has not been taken to its end. Synchronises.
template <class Space>
int take_core_steps(Space& space, CoreParticles<Space>& core, const CoreStep& step, RungCensus& work);

}  // namespace grove
