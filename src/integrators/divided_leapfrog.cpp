#include "src/integrators/divided_leapfrog.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/type_table.hpp"
#include "kernels/gravity/points.hpp"
#include "kernels/particles/rungs.hpp"

namespace grove {

namespace {

/// Of one base step.
constexpr std::uint64_t ticks = std::uint64_t{1} << deepest_rung;

/// A particle is heavy with this many times the mean mass of all that have mass, if so few are: one of a thousand, or a handful.
constexpr double heavy = 20;
constexpr std::uint64_t few_of = 1000, handful = 16;

GROVE_HD constexpr std::uint64_t ticks_of(int rung) { return ticks >> rung; }
GROVE_HD constexpr bool ends_at(int rung, std::uint64_t tick) { return (tick & (ticks_of(rung) - 1)) == 0; }

/// The coarsest rung that is not coarser than `rung` and of which a step begins at this tick.
GROVE_HD int begun_at(int rung, std::uint64_t tick) {
  while (!ends_at(rung, tick)) ++rung;
  return rung;
}

/// The rung for the step that is wanted; deepest + 1: it is shorter than any.
GROVE_HD int rung_for(double wanted, double base, int deepest) {
  int rung = 0;
  for (double step = base; step > wanted && rung <= deepest; step *= 0.5) ++rung;
  return rung;
}

struct LengthOfType {
  ClassOfType class_of_type;
  double of_class[most_type_classes];
  GROVE_HD double operator()(std::uint8_t type) const { return of_class[class_of_type.of[type]]; }
};

LengthOfType lengths_of(const SofteningClasses& classes) {
  LengthOfType lengths{classes.of_type, {}};
  std::copy(classes.length.begin(), classes.length.end(), lengths.of_class);
  return lengths;
}

/// Calls f.operator()<Criterion>() for the criterion of that name.
template <class Function>
void with_criterion(const std::string& name, const Function& f) {
  for_each_type<StepCriteria>([&]<class Criterion>() {
    if (Criterion::info().name == name) f.template operator()<Criterion>();
  });
}

/// For active particles: the kick that ends their step, the choice of the next step and, unless they are pinned, the kick that begins it.
template <class Criterion>
struct KickAndChoose {
  ParticleView p;
  const std::uint8_t* type;
  std::uint8_t* rung;
  LengthOfType softening;
  double accuracy, base, pinned_mass;
  std::uint64_t tick;  ///< 0: no step has ended
  int deepest;
  bool chooses_anew;  ///< whatever the rung was

  GROVE_HD void operator()(std::size_t i) const {
    int r = rung[i];
    const bool is_new = r == no_rung || chooses_anew;
    if (!is_new && !ends_at(r, tick)) return;
    const Double4 force = p.acceleration[i];
    const Double3 a = position_of(force);
    Double3 v = p.velocity[i];
    if (tick != 0) v = v + 0.5 * ldexp(base, -r) * a;
    const int wanted = rung_for(Criterion::step(force, softening(type[i]), accuracy), fabs(base), deepest);
    r = is_new || wanted > r ? wanted : begun_at(larger(wanted, smaller(r - 1, deepest)), tick);
    rung[i] = static_cast<std::uint8_t>(r);
    if (p.position[i].w < pinned_mass) v = v + 0.5 * ldexp(base, -r) * a;
    p.velocity[i] = v;
  }
};

/// The kick that begins the step of pinned particles, on the finest rung of which one begins.
struct KickPinned {
  ParticleView p;
  std::uint8_t* rung;
  double base, pinned_mass;
  int finest;
  GROVE_HD void operator()(std::size_t i) const {
    if (p.position[i].w < pinned_mass) return;
    rung[i] = static_cast<std::uint8_t>(finest);
    p.velocity[i] = p.velocity[i] + 0.5 * ldexp(base, -finest) * position_of(p.acceleration[i]);
  }
};

struct LastKick {
  ParticleView p;
  const std::uint8_t* rung;
  double base;
  GROVE_HD void operator()(std::size_t i) const {
    p.velocity[i] = p.velocity[i] + 0.5 * ldexp(base, -static_cast<int>(rung[i])) * position_of(p.acceleration[i]);
  }
};

struct SetTimeStep {
  const std::uint8_t* rung;
  double base;
  double* time_step;
  GROVE_HD void operator()(std::size_t i) const { time_step[i] = ldexp(base, -static_cast<int>(rung[i])); }
};

struct Mark {
  const std::uint8_t* rung;
  std::uint64_t tick;
  std::uint8_t* active;
  GROVE_HD void operator()(std::size_t i) const { active[i] = ends_at(rung[i], tick) ? 1 : 0; }
};

struct Range {
  int low, high;
};
struct RungOf {
  const std::uint8_t* rung;
  GROVE_HD Range operator()(std::size_t i) const { return {rung[i], rung[i]}; }
};
struct Join {
  GROVE_HD Range operator()(const Range& a, const Range& b) const { return {smaller(a.low, b.low), larger(a.high, b.high)}; }
};

struct IsBeyond {
  const std::uint8_t* rung;
  int limit;
  std::size_t none;
  GROVE_HD std::size_t operator()(std::size_t i) const { return rung[i] > limit ? i : none; }
};
struct First {
  GROVE_HD std::size_t operator()(std::size_t a, std::size_t b) const { return smaller(a, b); }
};

struct CountFrom {
  const std::uint8_t* rung;
  int coarsest;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return rung[i] >= coarsest ? 1 : 0; }
};
struct Add {
  GROVE_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

/// The mass of all, and the number that have mass.
using MassRow = Row<double, 2>;
struct MassOf {
  const Double4* position;
  GROVE_HD MassRow operator()(std::size_t i) const { return {{position[i].w, position[i].w > 0 ? 1.0 : 0.0}}; }
};
struct AddMasses {
  GROVE_HD double operator()(int, double a, double b) const { return a + b; }
};
struct IsHeavy {
  const Double4* position;
  double mass;
  GROVE_HD std::uint64_t operator()(std::size_t i) const { return position[i].w >= mass ? 1 : 0; }
};

}  // namespace

template <class Space>
DividedLeapfrog<Space>::DividedLeapfrog(const StepParameters& parameters, const GravityParameters& gravity)
    : parameters_(parameters), softening_(softening_classes(gravity)) {
  bool is_known = false;
  with_criterion(parameters.criterion, [&]<class Criterion>() {
    is_known = true;
    if (Criterion::needs_softening && !(softening_.length[has_points(softening_) ? 1 : 0] > 0))
      throw ConfigError("time.criterion = \"" + parameters.criterion +
                        "\" needs a softening length above 0 for all particles; with \"potential\" steps can be chosen without one");
  });
  if (!is_known) throw ConfigError("time.criterion = \"" + parameters.criterion + "\": there is no criterion of this name");
}

template <class Space>
void DividedLeapfrog<Space>::end(StepContext<Space>& context, double dt) {
  using Clock = std::chrono::steady_clock;
  census_.clear();
  base_ = dt;
  deepest_ = deepest_rung;
  // The last one that is not shorter than dt_min, up to rounding.
  if (parameters_.dt_min > 0 && dt != 0)
    deepest_ = std::clamp(static_cast<int>(std::log2(std::abs(dt) / parameters_.dt_min * (1 + 1e-9))), 0, deepest_rung);
  choose_pinned(context);
  auto began = Clock::now();
  Rungs rungs = kick_and_choose(context, 0);
  count_particles(context, rungs);
  for (std::uint64_t tick = 0; tick < ticks;) {
    const double step = std::ldexp(dt, -rungs.finest);
    tick += ticks_of(rungs.finest);
    context.drift(step);
    if (ends_at(rungs.coarsest, tick))
      context.compute_forces(step);
    else
      context.compute_forces(step, [this, tick](Space& space, Particles<Space>& particles) { return mark(space, particles, tick); });
    const int longest = begun_at(rungs.coarsest, tick);
    const std::uint64_t updates = count_from(context, longest);
    Particles<Space>& particles = context.particles();
    if (tick < ticks)
      rungs = kick_and_choose(context, tick);
    else
      context.space().for_each(particles.size(), LastKick{view_of(particles), rungs_of(particles), dt});
    RungWork& work = work_of(longest);
    ++work.sub_steps;
    work.updates += updates;
    work.seconds += std::chrono::duration<double>(Clock::now() - began).count();
    began = Clock::now();
  }
  if (parameters_.steps == steps::automatic) look_at_choice(context.comm());
  Particles<Space>& particles = context.particles();
  if (!particles.table()->find(time_step_field)) return;
  auto* const time_step = reinterpret_cast<double*>(particles.array(particles.table()->array_of(time_step_field)).data());
  context.space().for_each(particles.size(), SetTimeStep{rungs_of(particles), dt, time_step});
}

/// Steps that are the same for all are those of which all particles are pinned.
template <class Space>
void DividedLeapfrog<Space>::choose_pinned(StepContext<Space>& context) {
  if (heavy_mass_ < 0) look_at_masses(context);
  const bool are_alike = parameters_.steps == steps::adaptive || (parameters_.steps == steps::automatic && choice_.are_alike());
  pinned_mass_ = are_alike ? 0 : heavy_mass_;
  chooses_anew_ = parameters_.steps == steps::automatic && choice_.looks_again();
}

template <class Space>
void DividedLeapfrog<Space>::look_at_choice(const Communicator& comm) {
  RungCensus all = census_;
  // Of steps that are the same for all, only their number counts.
  for (RungWork& rung : all)
    if (!choice_.are_alike())
      rung = {.particles = comm.sum(rung.particles),
              .sub_steps = rung.sub_steps,
              .updates = comm.sum(rung.updates),
              .seconds = comm.max(rung.seconds)};
  choice_.look(all);
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
  for (const MassRow& row : context.comm().all_gather(space.reduce_rows(particles.size(), MassRow{}, MassOf{position}, AddMasses{})))
    for (int k = 0; k < 2; ++k) all.part[k] += row.part[k];
  heavy_mass_ = all.part[1] > 0 ? heavy * all.part[0] / all.part[1] : std::numeric_limits<double>::infinity();
  const std::uint64_t count =
      context.comm().sum(space.transform_reduce(particles.size(), std::uint64_t{0}, IsHeavy{position, heavy_mass_}, Add{}));
  has_heavy_ = count > 0 && count <= std::max(handful, static_cast<std::uint64_t>(all.part[1]) / few_of);
  if (!has_heavy_) heavy_mass_ = std::numeric_limits<double>::infinity();
}

/// At the ends of the steps of the active particles, and the beginnings of their next ones.
template <class Space>
typename DividedLeapfrog<Space>::Rungs DividedLeapfrog<Space>::kick_and_choose(StepContext<Space>& context, std::uint64_t tick) {
  Space& space = context.space();
  Particles<Space>& particles = context.particles();
  std::uint8_t* const rung = rungs_of(particles);
  with_criterion(parameters_.criterion, [&]<class Criterion>() {
    space.for_each(particles.size(),
                   KickAndChoose<Criterion>{view_of(particles), particles.type.data(), rung, lengths_of(softening_), parameters_.accuracy,
                                            base_, pinned_mass_, tick, deepest_, tick == 0 && chooses_anew_});
  });
  Rungs rungs = occupied(context);
  require_possible(context, rungs.finest);
  if (pinned_mass_ > 0 && !has_heavy_) return rungs;
  const int finest = begun_at(rungs.finest, tick);
  space.for_each(particles.size(), KickPinned{view_of(particles), rung, base_, pinned_mass_, finest});
  return occupied(context);
}

template <class Space>
typename DividedLeapfrog<Space>::Rungs DividedLeapfrog<Space>::occupied(StepContext<Space>& context) const {
  const Particles<Space>& particles = context.particles();
  constexpr int none = deepest_rung + 2;
  const Range here = context.space().transform_reduce(particles.size(), Range{none, 0}, RungOf{rungs_of(particles)}, Join{});
  const Communicator& comm = context.comm();
  const Rungs rungs{comm.min(here.low), comm.max(here.high)};
  return {std::min(rungs.coarsest, rungs.finest), rungs.finest};  // without particles there is one step
}

/// Throws AgreedError where a particle wants a shorter step than any.
template <class Space>
void DividedLeapfrog<Space>::require_possible(StepContext<Space>& context, int finest) const {
  if (finest <= deepest_) return;
  Space& space = context.space();
  const Particles<Space>& particles = context.particles();
  context.comm().agree([&] {
    const std::size_t n = particles.size();
    const std::size_t i = space.transform_reduce(n, n, IsBeyond{rungs_of(particles), deepest_, n}, First{});
    if (i == n) return;
    std::uint64_t id = 0;
    Double4 force{};
    std::uint8_t type = 0;
    space.copy_to_host(&id, particles.id.data() + i, sizeof(id));
    space.copy_to_host(&force, particles.acceleration.data() + i, sizeof(force));
    space.copy_to_host(&type, particles.type.data() + i, sizeof(type));
    double wanted = 0;
    with_criterion(parameters_.criterion,
                   [&]<class Criterion>() { wanted = Criterion::step(force, lengths_of(softening_)(type), parameters_.accuracy); });
    std::ostringstream words;  // nvcc cannot compile fmt
    words << "the particle with id " << id << " wants a step of " << wanted << ", for which the base step would be divided by 2^"
          << deepest_ + 1 << " or more: ";
    if (parameters_.dt_min > 0 && deepest_ < deepest_rung)
      words << "into steps shorter than time.dt_min = " << parameters_.dt_min;
    else
      words << "2^" << deepest_rung << " is the most";
    words << "; a larger softening, or a larger time.accuracy (less accurate), allows longer steps";
    throw DataError(words.str());
  });
}

/// Particles of this rank on this rung and finer ones.
template <class Space>
std::uint64_t DividedLeapfrog<Space>::count_from(StepContext<Space>& context, int coarsest) const {
  const Particles<Space>& particles = context.particles();
  return context.space().transform_reduce(particles.size(), std::uint64_t{0}, CountFrom{rungs_of(particles), coarsest}, Add{});
}

template <class Space>
RungWork& DividedLeapfrog<Space>::work_of(int rung) {
  const auto r = static_cast<std::size_t>(rung);
  if (census_.size() <= r) census_.resize(r + 1);
  return census_[r];
}

template <class Space>
void DividedLeapfrog<Space>::count_particles(StepContext<Space>& context, const Rungs& rungs) {
  for (int r = rungs.coarsest; r <= rungs.finest; ++r) work_of(r).particles = count_from(context, r);
  for (int r = rungs.coarsest; r < rungs.finest; ++r) work_of(r).particles -= work_of(r + 1).particles;
}

template <class Space>
const std::uint8_t* DividedLeapfrog<Space>::mark(Space& space, Particles<Space>& particles, std::uint64_t tick) {
  if (!active_) active_.emplace(space);
  active_->resize_discard(particles.size());
  space.for_each(particles.size(), Mark{rungs_of(particles), tick, active_->data()});
  return active_->data();
}

template class DividedLeapfrog<BackEnd>;

}  // namespace grove
