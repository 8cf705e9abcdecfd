#include "src/integrators/divided_leapfrog.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kernels/base/error.hpp"
#include "kernels/base/stopwatch.hpp"
#include "kernels/gravity/softening_classes.hpp"
#include "src/integrators/core_limit.hpp"
#include "src/integrators/rung_work.hpp"
#include "src/solver/force_method.hpp"
#include "src/solver/fp32_direct_solver.hpp"

namespace grove {

namespace {

/// A particle is heavy with this many times the mean mass of all that have mass, if so few are: one of a thousand, or a handful.
constexpr double heavy = 20;
constexpr std::uint64_t few_of = 1000, handful = 16;

struct SetTimeStep {
  const std::uint8_t* rung;
  double base;
  double* time_step;
  GROVE_HD void operator()(std::size_t i) const { time_step[i] = ldexp(base, -static_cast<int>(rung[i])); }
};

/// The mass of all, and the number that have mass.
using MassRow = Row<double, 2>;
struct MassOf {
  const Double4* position;
  GROVE_HD MassRow operator()(std::size_t i) const { return {{position[i].w, position[i].w > 0 ? 1.0 : 0.0}}; }
};
struct IsHeavy {
  const Double4* position;
  double mass;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return position[i].w >= mass ? 1 : 0; }
};

RungCounts all_on_finest(const RungCounts& counts) {
  RungCounts moved{};
  int finest = 0;
  for (int r = 0; r < beyond_all_rungs; ++r)
    if (counts.part[r] > 0) finest = r;
  for (const std::uint64_t count : counts.part) moved.part[finest] += count;
  return moved;
}

RungRules rules_for(const StepParameters& parameters, const GravityParameters& gravity) {
  RungRules rules;
  rules.criterion = parameters.criterion;
  rules.are_given = parameters.steps == steps::shared;
  rules.accuracy = rules.are_given ? std::numeric_limits<double>::infinity() : parameters.accuracy;
  rules.softening = softening_classes(gravity);
  rules.dt_min = parameters.dt_min;
  return rules;
}

}  // namespace

template <class Space>
DividedLeapfrog<Space>::DividedLeapfrog(const StepParameters& parameters, const GravityParameters& gravity)
    : parameters_(parameters), gravity_(gravity), rules_(rules_for(parameters, gravity)), core_(gravity) {
  if (rules_.are_given) return;
  const SofteningClasses& softening = rules_.softening;
  bool is_known = false;
  with_criterion(parameters.criterion, [&]<class Criterion>() {
    is_known = true;
    if (Criterion::needs_softening && !(softening.length.front() > 0))
      throw ConfigError("time.criterion = \"" + parameters.criterion +
                        "\" needs a softening length above 0 for all particles; with \"potential\" steps can be chosen without one");
  });
  if (!is_known) throw ConfigError("time.criterion = \"" + parameters.criterion + "\": there is no criterion of this name");
}

template <class Space>
void DividedLeapfrog<Space>::end(StepContext<Space>& context, double dt) {
  begin_base_step(context, dt);
  const Rungs rungs = kick_and_choose(context, 0);
  const RungCounts counts = count_particles(context);
  for (int r = rungs.coarsest; r <= rungs.finest; ++r) {
    RungWork& work = work_of(census_, r);
    work.particles = counts.part[r];
    if (r > own_.finest) work.in_core = work.particles;
  }
  if (own_.finest < own_.coarsest)
    core_.step_alone(context, rules_, own_.coarsest, census_);
  else
    take_sub_steps(context, dt, rungs);
  if (parameters_.steps == steps::automatic) look_at_choice(context.comm());
  Particles<Space>& particles = context.particles();
  if (!particles.table()->find(time_step_field)) return;
  auto* const time_step = reinterpret_cast<double*>(particles.array(particles.table()->array_of(time_step_field)).data());
  context.space().for_each(particles.size(), SetTimeStep{rungs_of(particles), dt, time_step});
}

/// `rungs`: those that are occupied. All first steps have begun, but those of the core.
template <class Space>
void DividedLeapfrog<Space>::take_sub_steps(StepContext<Space>& context, double dt, Rungs rungs) {
  Stopwatch watch;
  for (std::uint64_t tick = 0; tick < base_ticks;) {
    const bool has_core = rungs.finest > own_.finest;
    const int finest = std::min(rungs.finest, own_.finest);
    const double step = std::ldexp(dt, -finest);
    double core_seconds = 0;
    if (has_core) {
      Stopwatch of_core;
      core_.gather(context, finest);
      core_.step(context, rules_, tick, census_);
      core_seconds = of_core.lap();
    }
    tick += ticks_of(finest);
    context.drift(step);
    if (has_core) core_.put_back(context);
    const int longest = begun_at(rungs.coarsest, tick);
    if (longest == rungs.coarsest)
      context.compute_forces(step);
    else
      context.compute_forces(step, [this, tick](Space& space, Particles<Space>& particles) { return mark(space, particles, tick); });
    if (has_core) core_.kick_by_rest(context, rules_);
    Particles<Space>& particles = context.particles();
    const std::uint64_t updates = longest == rungs.coarsest ? particles.size() : count_from(context.space(), particles, longest);
    if (tick < base_ticks)
      rungs = kick_and_choose(context, tick);
    else
      context.space().for_each(particles.size(), HalfKick{view_of(particles), rungs_of(particles), dt, own_.finest});
    add_sub_step(census_, longest, updates, watch.lap() - core_seconds);
  }
}

/// Steps that are the same for all are those of which all particles are pinned.
template <class Space>
void DividedLeapfrog<Space>::begin_base_step(StepContext<Space>& context, double dt) {
  census_.clear();
  rules_.base = dt;
  rules_.deepest = deepest_rung;
  // The last one that is not shorter than dt_min, up to rounding.
  if (rules_.dt_min > 0 && dt != 0)
    rules_.deepest = std::clamp(static_cast<int>(std::log2(std::abs(dt) / rules_.dt_min * (1 + 1e-9))), 0, deepest_rung);
  if (heavy_mass_ < 0 && !rules_.are_given) look_at_masses(context);
  const bool are_alike = parameters_.steps == steps::adaptive || (parameters_.steps == steps::automatic && choice_.are_alike());
  rules_.pinned_mass = rules_.are_given ? std::numeric_limits<double>::infinity() : are_alike ? 0 : heavy_mass_;
  Particles<Space>& particles = context.particles();
  if (parameters_.steps == steps::automatic && choice_.looks_again())
    context.space().fill_bytes(rungs_of(particles), no_rung, particles.size());
  own_ = {rules_.are_given ? rung_of_substeps(parameters_.substeps) : 0, beyond_all_rungs};
  if (rules_.are_given)
    context.space().fill_bytes(rungs_of(particles), own_.coarsest, particles.size());
  else
    choose_first_rungs(context.space(), particles, rules_);
  choose_core(context, rules_.are_given || are_alike);
}

/// Which particles are the core follows from their rungs when the base step begins. Its sub-steps know nothing of external forces, which
/// may be what asks for short steps: with these there is none.
template <class Space>
void DividedLeapfrog<Space>::choose_core(StepContext<Space>& context, bool are_alike) {
  if (context.has_external_forces()) return;
  const Communicator& comm = context.comm();
  const std::uint64_t all = comm.sum(std::uint64_t{context.particles().size()});
  // With gravity.method = "direct" all energies are in FP64, and so they are with very few particles. On a CPU the core takes longer.
  const bool suits_all = Space::on_gpu && all > most_in_fp64<Space>;
  const bool may_be_all =
      comm.size() == 1 && !(Space::on_gpu && gravity_.method == "direct") && (suits_all || parameters_.core_beyond == all_rungs);
  if (are_alike && !may_be_all) return;
  std::optional<int> limit = parameters_.core_beyond;
  if (!limit && parameters_.core_up_to > 0) {
    RungCounts counts = count_particles(context);
    comm.sum(std::span<std::uint64_t>(counts.part));
    if (are_alike) counts = all_on_finest(counts);
    StepCosts costs = Space::on_gpu ? gpu_costs(rules_.softening.count()) : cpu_costs;
    if (!uses_direct_summation(gravity_, all, comm.size(), Space::on_gpu)) costs.few_sub_step = std::numeric_limits<double>::infinity();
    limit = core_limit(counts.part, parameters_.core_up_to, comm.size(), costs, may_be_all);
  }
  if (limit && (*limit == all_rungs ? !may_be_all : are_alike)) limit.reset();
  if (limit) own_.finest = *limit == all_rungs ? own_.coarsest - 1 : *limit;
}

/// This rank's particles on each rung.
template <class Space>
RungCounts DividedLeapfrog<Space>::count_particles(StepContext<Space>& context) const {
  if (!rules_.are_given) return count_by_rung(context.space(), context.particles());
  RungCounts counts{};
  counts.part[own_.coarsest] = context.particles().size();
  return counts;
}

template <class Space>
void DividedLeapfrog<Space>::look_at_choice(const Communicator& comm) {
  // Of steps that are the same for all, only their number counts.
  choice_.look(choice_.are_alike() ? census_ : summarise_rungs(census_, comm));
}

template <class Space>
void DividedLeapfrog<Space>::save(SavedState& state) const {
  if (parameters_.steps == steps::automatic) choice_.save(state);
}

template <class Space>
void DividedLeapfrog<Space>::restore(const SavedState& state) {
  if (parameters_.steps == steps::automatic) choice_.restore(state);
}

/// Which particles are heavy. Masses do not change.
template <class Space>
void DividedLeapfrog<Space>::look_at_masses(StepContext<Space>& context) {
  Space& space = context.space();
  const Particles<Space>& particles = context.particles();
  const Double4* const position = particles.position.data();
  MassRow all{};
  for (const MassRow& row : context.comm().all_gather(space.reduce_rows(particles.size(), MassRow{}, MassOf{position}, AddParts{})))
    for (int k = 0; k < 2; ++k) all.part[k] += row.part[k];
  heavy_mass_ = all.part[1] > 0 ? heavy * all.part[0] / all.part[1] : std::numeric_limits<double>::infinity();
  const std::uint64_t count =
      context.comm().sum(space.transform_reduce(particles.size(), std::uint64_t{0}, IsHeavy{position, heavy_mass_}, AddParts{}));
  const bool are_few = parameters_.pins_heavy && count > 0 && count <= std::max(handful, static_cast<std::uint64_t>(all.part[1]) / few_of);
  if (!are_few) heavy_mass_ = std::numeric_limits<double>::infinity();
}

/// At the ends of the steps of the active particles, and the beginnings of their next ones. Returns the rungs of all ranks' particles.
template <class Space>
Rungs DividedLeapfrog<Space>::kick_and_choose(StepContext<Space>& context, std::uint64_t tick) {
  Space& space = context.space();
  Particles<Space>& particles = context.particles();
  grove::kick_and_choose(space, particles, rules_, tick, own_);
  const Rungs rungs = occupied(context);
  require_possible(context, particles, rules_, rungs.finest);
  if (!rules_.has_pinned()) return rungs;
  kick_pinned(space, particles, rules_, begun_at(rungs.finest, tick), own_);
  return occupied(context);
}

template <class Space>
Rungs DividedLeapfrog<Space>::occupied(StepContext<Space>& context) const {
  if (rules_.are_given) return {own_.coarsest, own_.coarsest};
  const Rungs here = rungs_occupied(context.space(), context.particles());
  int ends[] = {-here.coarsest, here.finest};
  context.comm().max(std::span<int>(ends));
  return {std::min(-ends[0], ends[1]), ends[1]};  // without particles there is one step
}

template <class Space>
const std::uint8_t* DividedLeapfrog<Space>::mark(Space& space, Particles<Space>& particles, std::uint64_t tick) {
  if (!active_) active_.emplace(space);
  active_->resize_discard(particles.size());
  space.for_each(particles.size(), MarkEnding{rungs_of(particles), tick, active_->data()});
  return active_->data();
}

template class DividedLeapfrog<BackEnd>;

}  // namespace grove
