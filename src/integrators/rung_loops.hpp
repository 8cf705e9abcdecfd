// Loops over particles with rungs: kicks, and the choice of steps.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "kernels/base/type_table.hpp"
#include "kernels/gravity/softening_classes.hpp"
#include "kernels/particles/particles.hpp"
#include "kernels/particles/rungs.hpp"
#include "src/integrators/integrator.hpp"
#include "src/integrators/step_criteria.hpp"
#include "src/integrators/step_parameters.hpp"

namespace grove {

/// Steps are divided at most this often.
inline constexpr int deepest_rung = 20;
inline constexpr int beyond_all_rungs = deepest_rung + 2;
/// Of one base step.
inline constexpr std::uint64_t base_ticks = std::uint64_t{1} << deepest_rung;
static_assert(base_ticks == most_substeps);

GROVE_HD constexpr std::uint64_t ticks_of(int rung) { return base_ticks >> rung; }
GROVE_HD constexpr bool ends_at(int rung, std::uint64_t tick) { return (tick & (ticks_of(rung) - 1)) == 0; }

/// The coarsest rung that is not coarser than `rung` and of which a step begins at this tick.
GROVE_HD constexpr int begun_at(int rung, std::uint64_t tick) {
  while (!ends_at(rung, tick)) ++rung;
  return rung;
}

/// The rung for the step that is wanted; deepest + 1: it is shorter than any.
GROVE_HD inline int rung_for(double wanted, double base, int deepest) {
  int rung = 0;
  for (double step = base; step > wanted && rung <= deepest; step *= 0.5) ++rung;
  return rung;
}

/// That of particles which take so many steps in a base step, a power of two.
constexpr int rung_of_substeps(std::uint64_t substeps) { return std::countr_zero(substeps); }

struct Rungs {
  int coarsest = beyond_all_rungs, finest = 0;
};

/// The softening length of a particle's own component.
struct LengthOfType {
  ClassOfType class_of_type;
  double of_class[most_type_classes];
  GROVE_HD double operator()(std::uint8_t type) const { return of_class[class_of_type.of[type]]; }
};
inline LengthOfType lengths_of(const SofteningClasses& classes) {
  LengthOfType lengths{classes.of_type, {}};
  for (std::size_t k = 0; k < classes.length.size(); ++k) lengths.of_class[k] = classes.length[k];
  return lengths;
}

/// How the particles of a base step choose their rungs.
struct RungRules {
  std::string criterion;
  double accuracy = 0;     ///< infinite where rungs are given
  bool are_given = false;  ///< all particles are on the coarsest rung that they may take, and stay there
  SofteningClasses softening;
  double base = 0;             ///< the base step
  double dt_min = 0;           ///< no step is shorter; 0: any may be
  int deepest = deepest_rung;  ///< a particle that wants a finer rung is on deepest + 1
  double pinned_mass = 0;      ///< particles of this mass and above are on the finest rung that is occupied; infinite: there are none

  bool has_pinned() const { return pinned_mass < std::numeric_limits<double>::infinity(); }
};

/// Calls f.operator()<Criterion>() for the criterion of that name.
template <class Function>
void with_criterion(const std::string& name, const Function& f) {
  for_each_type<StepCriteria>([&]<class Criterion>() {
    if (Criterion::info().name == name) f.template operator()<Criterion>();
  });
}

/// A velocity after half a step on a rung.
GROVE_HD inline Double3 half_kicked(const Double3& velocity, double base, int rung, const Double4& acceleration) {
  return velocity + 0.5 * ldexp(base, -rung) * position_of(acceleration);
}

/// The rung of each particle that has none yet.
template <class Criterion>
struct FirstRung {
  ParticleView p;
  const std::uint8_t* type;
  std::uint8_t* rung;
  LengthOfType softening;
  double accuracy, base;
  int deepest;
  GROVE_HD void operator()(std::size_t i) const {
    if (rung[i] != no_rung) return;
    rung[i] = static_cast<std::uint8_t>(rung_for(Criterion::step(p.acceleration[i], softening(type[i]), accuracy), fabs(base), deepest));
  }
};

/// For active particles: the kick that ends their step, the choice of the next step and, unless they are pinned, the kick that begins it.
template <class Criterion>
struct KickAndChoose {
  ParticleView p;
  const Double4* rest;  ///< forces that the criterion sees beside the accelerations; may be null
  const std::uint8_t* type;
  std::uint8_t* rung;
  LengthOfType softening;
  double accuracy, base, pinned_mass;
  std::uint64_t tick;
  int deepest;
  Rungs own;  ///< particles of finer rungs are not kicked here; none takes a coarser one

  GROVE_HD void operator()(std::size_t i) const { at(i, tick); }
  /// `now`: the tick; 0: no step has ended.
  GROVE_HD void at(std::size_t i, std::uint64_t now) const {
    int r = rung[i];
    if (!ends_at(r, now)) return;
    const Double4 force = p.acceleration[i];
    Double3 v = p.velocity[i];
    if (now != 0 && r <= own.finest) v = half_kicked(v, base, r, force);
    const Double4 further = rest ? rest[i] : Double4{};
    const Double4 all{force.x + further.x, force.y + further.y, force.z + further.z, force.w + further.w};
    const int wanted = rung_for(Criterion::step(all, softening(type[i]), accuracy), fabs(base), deepest);
    const int coarser = r > own.finest && own.finest >= own.coarsest ? own.finest : r - 1;
    r = wanted > r ? wanted : begun_at(larger(wanted, smaller(coarser, deepest)), now);
    r = larger(r, own.coarsest);
    rung[i] = static_cast<std::uint8_t>(r);
    if (p.position[i].w < pinned_mass && r <= own.finest) v = half_kicked(v, base, r, force);
    p.velocity[i] = v;
  }
};

/// Puts pinned particles on the finest rung, and begins their step if it is one of `own`.
struct KickPinned {
  ParticleView p;
  std::uint8_t* rung;
  double base, pinned_mass;
  int finest;
  bool is_own;
  GROVE_HD void operator()(std::size_t i) const {
    if (p.position[i].w < pinned_mass) return;
    rung[i] = static_cast<std::uint8_t>(finest);
    if (is_own) p.velocity[i] = half_kicked(p.velocity[i], base, finest, p.acceleration[i]);
  }
};

/// The kick that begins or ends the step of each particle on a rung up to `finest`.
struct HalfKick {
  ParticleView p;
  const std::uint8_t* rung;
  double base;
  int finest;
  GROVE_HD void operator()(std::size_t i) const {
    if (rung[i] <= finest) p.velocity[i] = half_kicked(p.velocity[i], base, rung[i], p.acceleration[i]);
  }
};

struct MarkEnding {
  const std::uint8_t* rung;
  std::uint64_t tick;
  std::uint8_t* active;
  GROVE_HD void operator()(std::size_t i) const { active[i] = ends_at(rung[i], tick) ? 1 : 0; }
};

struct RungsOf {
  const std::uint8_t* rung;
  GROVE_HD Rungs operator()(std::size_t i) const { return {rung[i], rung[i]}; }
};
struct JoinRungs {
  GROVE_HD Rungs operator()(const Rungs& a, const Rungs& b) const { return {smaller(a.coarsest, b.coarsest), larger(a.finest, b.finest)}; }
};

/// How many particles are on each rung; on the last one, those that want a finer one than any.
using RungCounts = Row<std::uint64_t, beyond_all_rungs>;
struct OneOfRung {
  const std::uint8_t* rung;
  GROVE_HD RungCounts operator()(std::size_t i) const {
    RungCounts one{};
    if (rung[i] < beyond_all_rungs) one.part[rung[i]] = 1;
    return one;
  }
};

struct IsFrom {
  const std::uint8_t* rung;
  int coarsest;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return rung[i] >= coarsest ? 1 : 0; }
};

/// The rungs of these particles; without any, none is finer than 0.
template <class Space>
Rungs rungs_occupied(Space& space, const Particles<Space>& particles) {
  return space.transform_reduce(particles.size(), Rungs{}, RungsOf{rungs_of(particles)}, JoinRungs{});
}

/// Of these particles; those whose rung is not known yet are on none.
template <class Space>
RungCounts count_by_rung(Space& space, const Particles<Space>& particles) {
  return space.reduce_rows(particles.size(), RungCounts{}, OneOfRung{rungs_of(particles)}, AddParts{});
}

/// How many of these particles are on this rung or a finer one.
template <class Space>
std::uint64_t count_from(Space& space, const Particles<Space>& particles, int coarsest) {
  return space.transform_reduce(particles.size(), std::uint64_t{0}, IsFrom{rungs_of(particles), coarsest}, AddParts{});
}

/// Sets the rungs of particles that have none yet. Asynchronous.
template <class Space>
void choose_first_rungs(Space& space, Particles<Space>& particles, const RungRules& rules) {
  with_criterion(rules.criterion, [&]<class Criterion>() {
    space.for_each(particles.size(), FirstRung<Criterion>{view_of(particles), particles.type.data(), rungs_of(particles),
                                                          lengths_of(rules.softening), rules.accuracy, rules.base, rules.deepest});
  });
}

/// `own` and `rest`: see KickAndChoose. Its tick is 0.
template <class Criterion, class Space>
KickAndChoose<Criterion> choose_for(Particles<Space>& particles, const RungRules& rules, const Rungs& own, const Double4* rest) {
  return {view_of(particles),
          rest,
          particles.type.data(),
          rungs_of(particles),
          lengths_of(rules.softening),
          rules.accuracy,
          rules.base,
          rules.pinned_mass,
          0,
          rules.deepest,
          own};
}

/// Ends the steps that end at this tick, and begins those of particles that are not pinned. Asynchronous.
template <class Space>
void kick_and_choose(Space& space, Particles<Space>& particles, const RungRules& rules, std::uint64_t tick, const Rungs& own,
                     const Double4* rest = nullptr) {
  with_criterion(rules.criterion, [&]<class Criterion>() {
    KickAndChoose<Criterion> choose = choose_for<Criterion>(particles, rules, own, rest);
    choose.tick = tick;
    space.for_each(particles.size(), choose);
  });
}

/// Puts pinned particles on rung `finest`, of which a step begins, and begins it if it is one of `own`. Asynchronous.
template <class Space>
void kick_pinned(Space& space, Particles<Space>& particles, const RungRules& rules, int finest, const Rungs& own) {
  space.for_each(particles.size(),
                 KickPinned{view_of(particles), rungs_of(particles), rules.base, rules.pinned_mass, finest, finest <= own.finest});
}

/// Throws AgreedError, which names one, where particles want a shorter step than any. `finest`: of the occupied rungs, the same on all
/// ranks. Collective.
template <class Space>
void require_possible(StepContext<Space>& context, const Particles<Space>& particles, const RungRules& rules, int finest);

}  // namespace grove
