#include "src/simulation/simulation_on.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/particles/rungs.hpp"
#include "src/integrators/integrators.hpp"
#include "src/simulation/field_on.hpp"
#include "src/simulation/own_gravity.hpp"
#include "src/simulation/require_finite.hpp"

namespace grove {

namespace {

FieldTablePtr fields_of(const SimulationSetup& setup) {
  const IntegratorInfo* const integrator = find_integrator_info(setup.integrator);
  if (!integrator) throw ConfigError("time.integrator = \"" + setup.integrator + "\": there is no integrator of this name");
  std::vector<ParticleField> further = integrator->fields;
  further.insert(further.end(), setup.further_fields.begin(), setup.further_fields.end());
  const bool has_external = setup.external_function || has_potential(setup.external);
  if (has_external && setup.steps.divide() && setup.steps.criterion == PotentialCriterion::info().name)
    throw ConfigError("time.criterion = \"potential\" goes without external potentials; take \"softening\"");
  if (has_external || setup.steps.divide()) further.push_back(own_gravity_row());
  if (has_external) further.push_back({first_energy_field});
  if (setup.steps.divide()) further.push_back(rung_row());
  return further.empty() ? standard_fields() : fields_with(further);
}

[[noreturn]] void refuse(const ParticleSet& set, std::size_t i, const char* field, double value, const std::string& allowed) {
  std::ostringstream words;  // nvcc cannot compile fmt
  words << "the " << field << " of the particle with id " << set.id.at(i) << " is " << value << "; it must " << allowed;
  throw DataError(words.str());
}

/// Trees have no room for negative masses, and tables by type none for further types. Where there are numbers that are not finite the
/// forces tell it.
void require_masses_and_types(const ParticleSet& set) {
  for (std::size_t i = 0; i < set.mass.size(); ++i)
    if (set.mass[i] < 0) refuse(set, i, "mass", set.mass[i], "not be negative");
  for (std::size_t i = 0; i < set.type.size(); ++i)
    if (set.type[i] >= particle_type_count) refuse(set, i, "type", set.type[i], "be below " + std::to_string(particle_type_count));
}

}  // namespace

template <class Space>
SimulationOn<Space>::SimulationOn(std::unique_ptr<Space> space, const GravityParameters& gravity, const Communicator& comm,
                                  const SimulationSetup& setup)
    : space_(std::move(space)),
      comm_(comm),
      gravity_(gravity),
      setup_(setup),
      particles_(*space_, fields_of(setup)),
      present_order_(particles_),
      external_(setup.external, gravity.G, setup.external_function, setup.external_begin),
      own_energy_(*space_, comm_, external_) {
  make_solver();
}

template <class Space>
void SimulationOn<Space>::make_solver(std::uint64_t particle_count) {
  solver_ = make_force_solver(*space_, comm_, gravity_, setup_.transport, particle_count);
  integrator_ = make_integrator<Space>(setup_.integrator, setup_.integrator_settings, setup_.steps, gravity_);
  sampler_ = std::make_unique<ForceSampler<Space>>(*space_, comm_, GravityLaw(gravity_), setup_.transport, &external_);
  steps_ =
      std::make_unique<StepPipeline<Space>>(StepParts<Space>{*space_, comm_, particles_, *solver_, *integrator_, external_, own_energy_});
}

template <class Space>
void SimulationOn<Space>::set_softening(const std::vector<double>& of_type, const std::vector<SofteningBetween>& between) {
  particles_.has_acceleration = false;  // until the next start()
  gravity_.softening_of_type = of_type;
  gravity_.softening_between_types = between;
  make_solver();
}

template <class Space>
void SimulationOn<Space>::require_softening() const {
  if (has_softening_of_components(gravity_) && gravity_.softening_of_type.empty())
    throw std::logic_error("a simulation with softening by component was not told the softening of its particle types");
}

/// The solver and the energies for these particles.
template <class Space>
void SimulationOn<Space>::take(const ParticleSet& set) {
  require_softening();
  comm_.agree([&] { require_masses_and_types(set); });
  own_energy_.look_at(set.mass);
  make_solver(comm_.sum(std::uint64_t{set.size()}));
}

template <class Space>
void SimulationOn<Space>::start(ParticleSet set, double time) {
  comm_.agree([&] { require_times(time, time); });
  take(set);
  steps_->restart(time);
  upload(*space_, std::move(set), particles_);
  particles_.has_acceleration = false;
  compute_forces();
  begin_energies();
}

template <class Space>
std::unique_ptr<Field> SimulationOn<Space>::field_of(ParticleSet particles, double time) const {
  require_softening();
  std::unique_ptr<Space> space, space_of_points;
  comm_.agree([&] {
    require_masses_and_types(particles);
    space = space_->another();
    space_of_points = space_->another();
  });
  return std::make_unique<FieldOn<Space>>(std::move(space), std::move(space_of_points), gravity_, comm_, setup_, std::move(particles),
                                          time);
}

template <class Space>
void SimulationOn<Space>::begin_energies() {
  own_energy_.begin(particles_);
  if (own_energy_.leaves_out_heaviest() && diagnostics().own_energy() >= 0) own_energy_.leave_out_none();
}

template <class Space>
void SimulationOn<Space>::save(SavedState& state) const {
  steps_->require_no_next_step();
  state.put_number("simulation.time", time());
  state.put_count("simulation.has_acceleration", particles_.has_acceleration ? 1 : 0);
  state.put_count("simulation.leaves_out_heaviest", own_energy_.leaves_out_heaviest() ? 1 : 0);
  solver_->save(state);
  integrator_->save(state);
}

template <class Space>
void SimulationOn<Space>::resume(ParticleSet set, const SavedState& state) {
  take(set);
  if (state.count("simulation.leaves_out_heaviest") == 0) own_energy_.leave_out_none();
  steps_->restart(state.number("simulation.time"));
  const bool are_known = comm_.min(set.size() == 0 || !set.acceleration.empty() ? 1 : 0) == 1;
  upload(*space_, std::move(set), particles_);
  particles_.has_acceleration = are_known && state.count("simulation.has_acceleration") != 0;
  solver_->restore(state, particles_);
  integrator_->restore(state);
  if (!particles_.has_acceleration) compute_forces();
}

template <class Space>
ExternalSums SimulationOn<Space>::external_sums() {
  ExternalSums total, own;
  comm_.agree([&] { own = external_.sums(*space_, particles_.position.view()); });
  for (const ExternalSums& some : comm_.all_gather(own)) total = total + some;
  return total;
}

template <class Space>
Diagnostics SimulationOn<Space>::diagnostics() {
  Diagnostics d = diagnostics_of(steps_->sums(), time());
  if (!external_.empty()) {
    const ExternalSums sums = external_sums();
    d.external = sums.energy.value();
    d.external_virial = sums.virial.value();
    d.is_held = external_.holds_all();
    d.is_driven = external_.changes();
    // The potential of each particle is that of both.
    d.potential -= 0.5 * d.external;
  }
  own_energy_.measure(particles_, d);
  return d;
}

template <class Space>
ForceBalance SimulationOn<Space>::force_balance() {
  ForceBalance balance = force_balance_of(comm_, sum_forces(*space_, synchronised_particles()));
  if (external_.empty()) return balance;
  const ExternalSums sums = external_sums();
  for (int k = 0; k < 3; ++k) balance.net[k] -= sums.force[k].value();
  return balance;
}

template <class Space>
ParticleMemory SimulationOn<Space>::memory() {
  const Particles<Space>& p = synchronised_particles();
  mass_shown_ = diagnostics().mass;
  space_->synchronize();
  return {p.size(),
          reinterpret_cast<double*>(p.position.data()),
          reinterpret_cast<double*>(p.velocity.data()),
          reinterpret_cast<const double*>(p.acceleration.data()),
          p.id.data(),
          p.type.data()};
}

template <class Space>
void SimulationOn<Space>::memory_was_written() {
  require_finite<Space>(*space_, comm_, particles_, ParticlePart::motion, time(), nullptr);
  steps_->restart(time());
  particles_.has_acceleration = false;  // they tell nothing of forces elsewhere
  compute_forces();
  own_energy_.begin(particles_);
  constexpr double rounding = 1e-12;
  if (std::abs(diagnostics().mass - mass_shown_) > rounding * mass_shown_)
    throw DataError("the masses of particles have been written where only positions and velocities may be");
}

template <class Space>
bool SimulationOn<Space>::set_velocities(const std::vector<double>& velocity) {
  if (!is_synchronised() || !particles_.has_acceleration) return false;
  space_->copy_from_host(particles_.velocity.data(), velocity.data(), velocity.size() * sizeof(double));
  steps_->restart(time());
  begin_energies();
  return true;
}

template <class Space>
std::vector<PhaseTime> SimulationOn<Space>::phase_times() const {
  std::vector<PhaseTime> times;
  for (const auto& [name, seconds] : steps_->clock().phases()) times.push_back({name, seconds});
  return times;
}

template <class Space>
WorkCounts SimulationOn<Space>::work_counts() const {
  WorkCounts counts = solver_->work_counts();
  counts.targets = particles_.size();
  counts.bytes_held = steps_->bytes_held();
  return counts;
}

template class SimulationOn<BackEnd>;

}  // namespace grove
