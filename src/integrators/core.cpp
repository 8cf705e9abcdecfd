#include "src/integrators/core.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <vector>

#include "kernels/particles/active_particles.hpp"
#include "kernels/particles/gather_items.hpp"
#include "kernels/particles/particle_motion.hpp"
#include "kernels/space/select_indices.hpp"
#include "kernels/walks/direct_sum.hpp"

namespace grove {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// A particle as ranks exchange it.
struct CoreParticle {
  Double4 position, acceleration;
  Double3 velocity;
  std::uint64_t id;
  std::uint8_t type, rung;
};

struct IsBeyond {
  const std::uint8_t* rung;
  int limit;
  GROVE_HD bool operator()(std::size_t i) const { return rung[i] > limit; }
};
struct Pack {
  ParticleView p;
  const std::uint64_t* id;
  const std::uint8_t *type, *rung;
  const std::uint32_t* index;
  CoreParticle* to;
  GROVE_HD void operator()(std::size_t k) const {
    const std::uint32_t i = index[k];
    to[k] = {p.position[i], p.acceleration[i], p.velocity[i], id[i], type[i], rung[i]};
  }
};
struct Unpack {
  const CoreParticle* from;
  ParticleView p;
  std::uint64_t* id;
  std::uint8_t *type, *rung;
  Double4* all;
  GROVE_HD void operator()(std::size_t i) const {
    const CoreParticle& one = from[i];
    p.position[i] = one.position;
    p.velocity[i] = one.velocity;
    all[i] = one.acceleration;
    id[i] = one.id;
    type[i] = one.type;
    rung[i] = one.rung;
  }
};

GROVE_HD Double4 difference(const Double4& a, const Double4& b) { return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }

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

/// The particles of the core, by id.
struct CoreById {
  const std::uint64_t* id;
  std::size_t count;
  GROVE_HD std::size_t find(std::uint64_t wanted) const {
    std::size_t first = 0, end = count;
    while (first < end) {
      const std::size_t middle = (first + end) / 2;
      if (id[middle] < wanted)
        first = middle + 1;
      else
        end = middle;
    }
    return first;
  }
};

struct PutBack {
  CoreById core;
  ParticleView from;
  const std::uint8_t* rung_in_core;
  ParticleView p;
  const std::uint64_t* id;
  std::uint8_t* rung;
  int limit;
  GROVE_HD void operator()(std::size_t i) const {
    if (rung[i] <= limit) return;
    const std::size_t k = core.find(id[i]);
    p.position[i] = from.position[k];
    p.velocity[i] = from.velocity[k];
    rung[i] = rung_in_core[k];
  }
};

struct LastKickByRest {
  CoreById core;
  const Double4* own;  ///< forces of the core
  ParticleView p;
  const std::uint64_t* id;
  const std::uint8_t* rung;
  int limit;
  double half;
  GROVE_HD void operator()(std::size_t i) const {
    if (rung[i] <= limit) return;
    p.velocity[i] = p.velocity[i] + half * position_of(difference(p.acceleration[i], own[core.find(id[i])]));
  }
};

FieldTablePtr core_fields() { return fields_with({rung_row()}); }

}  // namespace

template <class Space>
struct Core<Space>::Memory {
  explicit Memory(Space& space) : particles(space, core_fields()), rest(space), active(space), index(space) {}
  CoreById by_id() const { return {particles.id.data(), particles.size()}; }

  Particles<Space> particles;  ///< accelerations are those by the core
  Buffer<Space, Double4> rest;
  Buffer<Space, std::uint8_t> active;
  Buffer<Space, std::uint32_t> index;
};

template <class Space>
Core<Space>::Core(const GravityParameters& gravity) : law_(gravity) {}
template <class Space>
Core<Space>::~Core() = default;

template <class Space>
void Core<Space>::gather(StepContext<Space>& context, int limit) {
  Space& space = context.space();
  const Particles<Space>& all = context.particles();
  if (!memory_) memory_ = std::make_unique<Memory>(space);
  limit_ = limit;
  Buffer<Space, std::uint32_t>& index = memory_->index;
  const std::uint32_t count = select_indices(space, all.size(), IsBeyond{rungs_of(all), limit}, [&](std::uint32_t found) {
    index.resize_discard(found);
    return index.data();
  });
  std::vector<CoreParticle> some(count);
  {
    Scratch<Space, CoreParticle> packed(space, count);
    space.for_each(count, Pack{view_of(all), all.id.data(), all.type.data(), rungs_of(all), index.data(), packed.data()});
    space.copy_to_host(some.data(), packed.data(), count * sizeof(CoreParticle));
  }
  std::vector<CoreParticle> core = context.comm().all_gather_vectors(std::span<const CoreParticle>(some));
  std::sort(core.begin(), core.end(), [](const CoreParticle& a, const CoreParticle& b) { return a.id < b.id; });
  Particles<Space>& particles = memory_->particles;
  particles.resize_discard(core.size());
  memory_->rest.resize_discard(core.size());
  memory_->active.resize_discard(core.size());
  index.resize_discard(core.size());
  Scratch<Space, CoreParticle> packed(space, core.size());
  space.copy_from_host(packed.data(), core.data(), core.size() * sizeof(CoreParticle));
  space.for_each(core.size(), Unpack{packed.data(), view_of(particles), particles.id.data(), particles.type.data(), rungs_of(particles),
                                     memory_->rest.data()});
}

/// Of the active particles, null: of all. Returns their number.
template <class Space>
std::uint64_t Core<Space>::find_forces(Space& space, const std::uint8_t* active) {
  Particles<Space>& p = memory_->particles;
  const DirectSources sources{p.position.view(), p.id.view(), p.type.view()};
  if (!active) {
    space.fill_bytes(p.acceleration.data(), 0, p.size() * sizeof(Double4));
    add_direct_sum<Space>(space, law_, sources, {p.position.view(), p.id.view(), p.acceleration.view(), p.type.view()});
    return p.size();
  }
  const std::uint32_t* const index = memory_->index.data();
  const std::uint32_t count = select_active(space, p.size(), active, memory_->index.data());
  Scratch<Space, Double4> position(space, count), force(space, count);
  Scratch<Space, std::uint64_t> id(space, count);
  Scratch<Space, std::uint8_t> type(space, count);
  const ItemRow rows[] = {{p.position.data(), position.data(), sizeof(Double4)},
                          {p.id.data(), id.data(), sizeof(std::uint64_t)},
                          {p.type.data(), type.data(), sizeof(std::uint8_t)}};
  gather_rows(space, count, index, rows);
  space.fill_bytes(force.data(), 0, count * sizeof(Double4));
  add_direct_sum<Space>(space, law_, sources, {position.view(), id.view(), force.view(), type.view()});
  space.for_each(count, PutForces{force.data(), index, p.acceleration.data()});
  return count;
}

template <class Space>
void Core<Space>::step(StepContext<Space>& context, const RungRules& rules, std::uint64_t tick, RungCensus& census) {
  Space& space = context.space();
  Particles<Space>& p = memory_->particles;
  const Rungs own{limit_ + 1, beyond_all_rungs};
  const std::uint64_t end = tick + ticks_of(limit_);
  auto began = Clock::now();
  const auto count_sub_step = [&](int longest, std::uint64_t updates) {
    // All ranks do the same: each force is counted once.
    work_of(census, longest) += {.sub_steps = 1, .updates = context.comm().is_root() ? updates : 0, .seconds = seconds_since(began)};
    began = Clock::now();
  };
  find_forces(space, nullptr);
  space.for_each(p.size(), KickByRest{view_of(p), memory_->rest.data(), 0.5 * std::ldexp(rules.base, -limit_)});
  space.for_each(p.size(), HalfKick{view_of(p), rungs_of(p), rules.base, own.finest});
  for (int finest = rungs_occupied(space, p).finest; tick < end;) {
    tick += ticks_of(finest);
    drift(space, p, std::ldexp(rules.base, -finest));
    if (tick == end) {
      find_forces(space, nullptr);
      space.for_each(p.size(), HalfKick{view_of(p), rungs_of(p), rules.base, own.finest});
      count_sub_step(own.coarsest, p.size());
      return;
    }
    const int longest = begun_at(own.coarsest, tick);
    space.for_each(p.size(), MarkEnding{rungs_of(p), tick, memory_->active.data()});
    const std::uint64_t updates = find_forces(space, memory_->active.data());
    kick_and_choose(space, p, rules, tick, own, memory_->rest.data());
    finest = rungs_occupied(space, p).finest;
    require_possible(context, p, rules, finest);
    if (rules.has_pinned()) {
      finest = begun_at(finest, tick);
      kick_pinned(space, p, rules, finest, own);
      finest = rungs_occupied(space, p).finest;
    }
    count_sub_step(longest, updates);
  }
}

template <class Space>
void Core<Space>::put_back(StepContext<Space>& context) const {
  Space& space = context.space();
  const Particles<Space>& core = memory_->particles;
  Particles<Space>& all = context.particles();
  space.for_each(all.size(), PutBack{memory_->by_id(), view_of(core), rungs_of(core), view_of(all), all.id.data(), rungs_of(all), limit_});
}

template <class Space>
void Core<Space>::kick_by_rest(StepContext<Space>& context, const RungRules& rules) const {
  Space& space = context.space();
  Particles<Space>& all = context.particles();
  space.for_each(all.size(), LastKickByRest{memory_->by_id(), memory_->particles.acceleration.data(), view_of(all), all.id.data(),
                                            rungs_of(all), limit_, 0.5 * std::ldexp(rules.base, -limit_)});
}

template class Core<BackEnd>;

}  // namespace grove
