#include "kernels/base/stopwatch.hpp"
#include "kernels/particles/active_particles.hpp"
#include "kernels/particles/gather_items.hpp"
#include "kernels/particles/particle_motion.hpp"
#include "kernels/walks/direct_sum.hpp"
#include "src/integrators/core_steps.hpp"

namespace grove {

namespace {

/// Sets the forces of the core on its active particles, null: on all. Returns their number.
std::uint64_t find_forces(HostSpace& space, const GravityLaw& law, Particles<HostSpace>& p, const std::uint8_t* active) {
  const DirectSources sources{p.position.view(), p.id.view(), p.type.view()};
  if (!active) {
    space.fill_bytes(p.acceleration.data(), 0, p.size() * sizeof(Double4));
    add_direct_sum(space, law, sources, {p.position.view(), p.id.view(), p.acceleration.view(), p.type.view()});
    return p.size();
  }
  Scratch<HostSpace, std::uint32_t> indices(space, p.size());
  const std::uint32_t* const index = indices.data();
  const std::uint32_t count = select_active(space, p.size(), active, indices.data());
  Scratch<HostSpace, Double4> position(space, count), force(space, count);
  Scratch<HostSpace, std::uint64_t> id(space, count);
  Scratch<HostSpace, std::uint8_t> type(space, count);
  const ItemRow rows[] = {{p.position.data(), position.data(), sizeof(Double4)},
                          {p.id.data(), id.data(), sizeof(std::uint64_t)},
                          {p.type.data(), type.data(), sizeof(std::uint8_t)}};
  gather_rows(space, count, index, rows);
  space.fill_bytes(force.data(), 0, count * sizeof(Double4));
  add_direct_sum(space, law, sources, {position.view(), id.view(), force.view(), type.view()});
  space.for_each(count, PutForces{force.data(), index, p.acceleration.data()});
  return count;
}

}  // namespace

template <>
int take_core_steps(HostSpace& space, Particles<HostSpace>& p, Double4* rest, const CoreStep& step, RungCensus& work) {
  const RungRules& rules = step.rules;
  const Rungs own = step.own();
  Scratch<HostSpace, std::uint8_t> active(space, p.size());
  Stopwatch watch;
  if (rest) {
    find_forces(space, step.law, p, nullptr);
    space.for_each(p.size(), KickByRest{view_of(p), rest, step.half()});
  }
  space.for_each(p.size(), HalfKick{view_of(p), rungs_of(p), rules.base, own.finest});
  int finest = rungs_occupied(space, p).finest;
  for (std::uint64_t tick = step.begin; tick < step.end;) {
    tick += ticks_of(finest);
    drift(space, p, std::ldexp(rules.base, -finest));
    if (tick == step.end) {
      find_forces(space, step.law, p, nullptr);
      space.for_each(p.size(), HalfKick{view_of(p), rungs_of(p), rules.base, own.finest});
      add_sub_step(work, own.coarsest, p.size(), watch.lap());
      break;
    }
    space.for_each(p.size(), MarkEnding{rungs_of(p), tick, active.data()});
    const std::uint64_t updates = find_forces(space, step.law, p, active.data());
    kick_and_choose(space, p, rules, tick, own, rest);
    finest = rungs_occupied(space, p).finest;
    if (finest > rules.deepest) break;
    if (rules.has_pinned()) {
      finest = begun_at(finest, tick);
      kick_pinned(space, p, rules, finest, own);
      finest = rungs_occupied(space, p).finest;
    }
    add_sub_step(work, begun_at(own.coarsest, tick), updates, watch.lap());
  }
  return finest;
}

}  // namespace grove
