#include "src/integrators/core.hpp"

#include <span>
#include <sstream>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/space/search.hpp"
#include "kernels/space/select_indices.hpp"

namespace grove {

namespace {

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
struct ListIds {
  const CoreParticle* from;
  std::uint64_t* id;
  std::uint32_t* number;
  GROVE_HD void operator()(std::size_t i) const {
    id[i] = from[i].id;
    number[i] = static_cast<std::uint32_t>(i);
  }
};
struct Unpack {
  const CoreParticle* from;
  const std::uint32_t* number;  ///< in the order of ids
  ParticleView p;
  std::uint64_t* id;
  std::uint8_t *type, *rung;
  Double4* all;
  GROVE_HD void operator()(std::size_t i) const {
    const CoreParticle& one = from[number[i]];
    p.position[i] = one.position;
    p.velocity[i] = one.velocity;
    all[i] = one.acceleration;
    id[i] = one.id;
    type[i] = one.type;
    rung[i] = one.rung;
  }
};

struct CoreById {
  const std::uint64_t* id;
  std::size_t count;
  GROVE_HD std::size_t find(std::uint64_t wanted) const {
    return first_not(std::size_t{0}, count, [&](std::size_t i) { return id[i] < wanted; });
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

template <class Space>
CoreById by_id(const Particles<Space>& core) {
  return {core.id.data(), core.size()};
}

/// Makes these the core, in the order of ids. Asynchronous.
template <class Space>
void unpack(Space& space, View<const CoreParticle> from, Particles<Space>& core, Double4* all) {
  Scratch<Space, std::uint64_t> id(space, from.size);
  Scratch<Space, std::uint32_t> number(space, from.size);
  space.for_each(from.size, ListIds{from.data, id.data(), number.data()});
  space.sort_pairs(id.view(), number.view(), 64);
  space.for_each(from.size, Unpack{from.data, number.data(), view_of(core), core.id.data(), core.type.data(), rungs_of(core), all});
}

/// Adds what all ranks have done alike: each force is counted once.
void add_once(const Communicator& comm, RungCensus work, RungCensus& census) {
  for (std::size_t r = 0; r < work.size(); ++r) {
    if (!comm.is_root()) work[r].updates = 0;
    work_of(census, static_cast<int>(r)) += work[r];
  }
}

}  // namespace

template <class Space>
void Core<Space>::gather(StepContext<Space>& context, int limit) {
  Space& space = context.space();
  const Particles<Space>& all = context.particles();
  if (!core_) core_.emplace(space);
  limit_ = limit;
  Buffer<Space, std::uint32_t>& index = core_->index;
  const std::uint32_t count = select_indices(space, all.size(), IsBeyond{rungs_of(all), limit}, [&](std::uint32_t found) {
    index.resize_discard(found);
    return index.data();
  });
  Scratch<Space, CoreParticle> own(space, count);
  space.for_each(count, Pack{view_of(all), all.id.data(), all.type.data(), rungs_of(all), index.data(), own.data()});
  const auto take = [&](View<const CoreParticle> some) {
    // Their number is the same on all ranks.
    if (some.size > most_in_core)
      context.comm().agree([&] {
        std::ostringstream words;  // nvcc cannot compile fmt
        words << some.size << " particles are on the rungs of the core, which can take " << most_in_core
              << ": within one base step many have come to need short steps; a shorter time.dt helps, or time.core_up_to = 0";
        throw DataError(words.str());
      });
    core_->particles.resize_discard(some.size);
    core_->rest.resize_discard(some.size);
    unpack(space, some, core_->particles, core_->rest.data());
  };
  if (context.comm().size() == 1) return take(own.view());
  Buffer<typename Space::HostMemory, CoreParticle>&sent = core_->sent, &received = core_->received;
  sent.resize_discard(count);
  space.copy_to_host(sent.data(), own.data(), count * sizeof(CoreParticle));
  context.comm().all_gather_vectors(std::span<const CoreParticle>(sent.data(), count), [&](std::size_t n) {
    received.resize_discard(n);
    return received.data();
  });
  Scratch<Space, CoreParticle> of_all(space, received.size());
  space.copy_from_host(of_all.data(), received.data(), received.size() * sizeof(CoreParticle));
  take(of_all.view());
}

template <class Space>
void Core<Space>::step(StepContext<Space>& context, const RungRules& rules, std::uint64_t tick, RungCensus& census) {
  RungCensus work;
  const int finest = take_core_steps(context.space(), core_->particles, core_->rest.data(), step_of_limit(law_, rules, limit_, tick), work);
  require_possible(context, core_->particles, rules, finest);
  add_once(context.comm(), std::move(work), census);
}

template <class Space>
void Core<Space>::step_alone(StepContext<Space>& context, const RungRules& rules, int coarsest, RungCensus& census) const {
  RungCensus work;
  Particles<Space>& particles = context.particles();
  const int finest = take_core_steps<Space>(context.space(), particles, nullptr, {law_, rules, coarsest, 0, base_ticks}, work);
  require_possible(context, particles, rules, finest);
  add_once(context.comm(), std::move(work), census);
  context.forces_are_set(rules.base);
}

template <class Space>
void Core<Space>::put_back(StepContext<Space>& context) const {
  Space& space = context.space();
  const Particles<Space>& core = core_->particles;
  Particles<Space>& all = context.particles();
  space.for_each(all.size(), PutBack{by_id(core), view_of(core), rungs_of(core), view_of(all), all.id.data(), rungs_of(all), limit_});
}

template <class Space>
void Core<Space>::kick_by_rest(StepContext<Space>& context, const RungRules& rules) const {
  Space& space = context.space();
  Particles<Space>& all = context.particles();
  space.for_each(all.size(), LastKickByRest{by_id(core_->particles), core_->particles.acceleration.data(), view_of(all), all.id.data(),
                                            rungs_of(all), limit_, step_of_limit(law_, rules, limit_, 0).half()});
}

template class Core<BackEnd>;

}  // namespace grove
