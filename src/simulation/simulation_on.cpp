#include "src/simulation/simulation_on.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "kernels/particles/host_columns.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "kernels/space/error.hpp"
#include "src/integrators/integrators.hpp"
#include "src/simulation/finite_check.hpp"

namespace grove {

namespace {

const IntegratorInfo& integrator_named(const std::string& name) {
  const IntegratorInfo* info = find_integrator_info(name);
  if (!info) throw ConfigError("time.integrator = \"" + name + "\": there is no integrator of this name");
  return *info;
}

FieldTablePtr fields_of(const SimulationSetup& setup) {
  std::vector<ParticleField> further = integrator_named(setup.integrator).fields;
  further.insert(further.end(), setup.further_fields.begin(), setup.further_fields.end());
  if (std::any_of(setup.external.begin(), setup.external.end(), [](const ExternalParameters& p) { return p.is_there(); })) {
    const std::vector<ParticleField> of_external = external_fields();
    further.insert(further.end(), of_external.begin(), of_external.end());
  }
  return further.empty() ? standard_fields() : fields_with(further);
}

}  // namespace

template <class Space>
SimulationOn<Space>::SimulationOn(std::unique_ptr<Space> space, const GravityParameters& gravity, const Communicator& comm,
                                  const SimulationSetup& setup)
    : space_(std::move(space)),
      comm_(comm),
      gravity_(gravity),
      transport_(setup.transport),
      particles_(*space_, fields_of(setup)),
      present_order_(particles_),
      integrator_(make_integrator<Space>(setup.integrator, setup.integrator_settings)),
      external_(setup.external, gravity.G),
      clocks_{PhaseClock<Space>(*space_), PhaseClock<Space>(*space_)} {
  make_solver();
}

template <class Space>
void SimulationOn<Space>::make_solver(std::uint64_t particle_count) {
  solver_ = make_force_solver(*space_, comm_, gravity_, transport_, particle_count);
  check_ = std::make_unique<ForceCheck<Space>>(*space_, comm_, GravityLaw(gravity_), &external_);
}

template <class Space>
void SimulationOn<Space>::set_softening(const std::vector<double>& of_type) {
  gravity_.softening_of_type = of_type;
  make_solver();
}

template <class Space>
void SimulationOn<Space>::require_softening() const {
  if (!gravity_.softening_of_component.empty() && gravity_.softening_of_type.empty())
    throw std::logic_error("a simulation with softening by component was not told the softening of its particle types");
}

template <class Space>
void SimulationOn<Space>::start(ParticleSet set, double time) {
  require_softening();
  make_solver(comm_.sum(std::uint64_t{set.size()}));
  forget_next_step();
  upload(*space_, std::move(set), particles_);
  particles_.has_acceleration = false;
  time_ = time;
  compute_forces();
}

template <class Space>
void SimulationOn<Space>::save(SavedState& state) const {
  require_present();
  state.put_number("simulation.time", time_);
  state.put_count("simulation.has_acceleration", particles_.has_acceleration ? 1 : 0);
  solver_->save(state);
  integrator_->save(state);
}

template <class Space>
void SimulationOn<Space>::resume(ParticleSet set, const SavedState& state) {
  require_softening();
  make_solver(comm_.sum(std::uint64_t{set.size()}));
  forget_next_step();
  const bool are_known = comm_.min(set.size() == 0 || !set.acceleration.empty() ? 1 : 0) == 1;
  upload(*space_, std::move(set), particles_);
  sums_.reset();
  particles_.has_acceleration = are_known && state.count("simulation.has_acceleration") != 0;
  time_ = state.number("simulation.time");
  solver_->restore(state, particles_);
  integrator_->restore(state);
  if (!particles_.has_acceleration) compute_forces();
}

template <class Space>
void SimulationOn<Space>::evaluate_forces(double drift) {
  space_->restart_most_bytes_held();
  sums_.reset();
  external_.hide(*space_, particles_);
  try {
    solver_->prepare(particles_, clock(), drift);
    solver_->forces(particles_, nullptr, clock(), [this] {
      if (!meanwhile_) return;
      std::exchange(meanwhile_, nullptr)();
      begin_activity("walk");
    });
  } catch (const PositionsNotFinite&) {
    // Says which particle it is.
    require_finite(*space_, comm_, particles_, ParticlePart::motion, time_, &clock());
    throw;
  }
  external_.show(*space_, particles_);
  most_bytes_held_ = space_->most_bytes_held();
  most_bytes_ever_held_ = std::max(most_bytes_ever_held_, most_bytes_held_);
}

template <class Space>
void SimulationOn<Space>::compute_forces() {
  require_present();
  clock().restart();
  evaluate_forces(0);
  require_finite(*space_, comm_, particles_, ParticlePart::force, time_, &clock());
}

template <class Space>
void SimulationOn<Space>::step_to(double time_after, double dt) {
  if (ahead_dt_ && *ahead_dt_ != dt) throw std::logic_error("a step has another length than was announced");
  const std::optional<double> announced = std::exchange(announced_dt_, std::nullopt);
  const std::optional<double> next_dt = external_.empty() && integrator_->begins_ahead() ? announced : std::nullopt;
  const bool has_begun = std::exchange(ahead_dt_, std::nullopt).has_value();
  if (has_begun) {
    clock_turn_ = 1 - clock_turn_;
  } else {
    clock().restart();
    clock().begin("kick and drift");
  }
  time_ = time_after;
  std::optional<double> expected_drift;
  StepContext<Space> context(*space_, particles_,
                             {.compute_forces = [this](double drift) { evaluate_forces(drift); },
                              .begin_checks = [this] { clock().begin("checks"); },
                              .begin_motion = [this] { clock().begin("kick and drift"); },
                              .magnitudes_ahead = [this](double drift) { return solver_->magnitudes_ahead(particles_, drift); },
                              .expect_forces = [&](double drift) { expected_drift = drift; }});
  if (!has_begun) integrator_->begin(context, dt);
  integrator_->end(context, dt);
  meanwhile_ = nullptr;
  context.end_step();
  if (next_dt) integrator_->begin(context, *next_dt);
  // On one rank the device goes on while the host waits for the results of this step and looks at them.
  const bool prepares_ahead = next_dt && expected_drift && comm_.size() == 1;
  if (prepares_ahead) {
    clock().end();
    next_clock().restart_after(clock());
    solver_->prepare_ahead(particles_, next_clock(), *expected_drift);
    next_clock().end();
  }
  // The sums that diagnostics() will give also tell whether a force is not finite.
  sums_ = context.sums();
  require_finite(*space_, comm_, particles_, ParticlePart::force, time_, prepares_ahead ? nullptr : &clock(),
                 std::isfinite(sums_->potential.value()));
  if (next_dt && !prepares_ahead) next_clock().restart();
  ahead_dt_ = next_dt;
}

template <class Space>
void SimulationOn<Space>::do_meanwhile(const std::function<void()>& work) {
  if (!Space::on_gpu || !is_ahead() || comm_.size() > 1) return work();
  meanwhile_ = work;
}

template <class Space>
void SimulationOn<Space>::forget_next_step() {
  announced_dt_.reset();
  ahead_dt_.reset();
  meanwhile_ = nullptr;
}

template <class Space>
void SimulationOn<Space>::require_present() const {
  if (is_ahead()) throw std::logic_error("the particles are already those of the step that was announced");
}

template <class Space>
ExternalSums SimulationOn<Space>::external_sums() {
  ExternalSums total;
  for (const ExternalSums& some : comm_.all_gather(external_.sums(*space_, particles_))) total = total + some;
  return total;
}

template <class Space>
Diagnostics SimulationOn<Space>::diagnostics() {
  if (!sums_) sums_ = sum_particles(*space_, particles_);
  Diagnostics d = diagnostics_of(comm_, *sums_, particles_.size(), time_);
  if (external_.empty()) return d;
  const ExternalSums sums = external_sums();
  d.external = sums.energy.value();
  d.external_virial = sums.virial.value();
  d.is_held = external_.holds_all();
  // The potential of each particle is that of both.
  d.potential -= 0.5 * d.external;
  return d;
}

template <class Space>
ForceBalance SimulationOn<Space>::force_balance() {
  require_present();
  ForceBalance balance = force_balance_of(comm_, sum_forces(*space_, particles_));
  if (external_.empty()) return balance;
  const ExternalSums sums = external_sums();
  for (int k = 0; k < 3; ++k) balance.net[k] -= sums.force[k].value();
  return balance;
}

template <class Space>
ParticleSet SimulationOn<Space>::particles() {
  require_present();
  return download(*space_, particles_);
}

template <class Space>
std::unique_ptr<ParticleColumns> SimulationOn<Space>::columns() {
  require_present();
  return std::make_unique<ColumnsOnDemand<Space>>(*space_, particles_.table(), present_order_);
}

template <class Space>
ReferenceForces SimulationOn<Space>::reference_forces(std::uint64_t targets, std::uint64_t seed) {
  require_present();
  return check_->reference_forces(particles_, targets, seed);
}

template <class Space>
ForceSample SimulationOn<Space>::compare_forces(const ReferenceForces& reference) {
  require_present();
  return check_->compare(particles_, reference);
}

template <class Space>
std::vector<PhaseTime> SimulationOn<Space>::phase_times() const {
  std::vector<PhaseTime> times;
  for (const auto& [name, seconds] : clocks_[clock_turn_].phases()) times.push_back({name, seconds});
  return times;
}

template <class Space>
WorkCounts SimulationOn<Space>::work_counts() const {
  WorkCounts counts = solver_->work_counts();
  counts.targets = particles_.size();
  counts.bytes_held = most_bytes_held_;
  return counts;
}

template class SimulationOn<BackEnd>;

}  // namespace grove
