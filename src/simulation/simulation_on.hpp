// The simulation in the memory of one space.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/particles/item_order.hpp"
#include "kernels/particles/particle_motion.hpp"
#include "src/external/external_field.hpp"
#include "src/integrators/integrator.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/force_solver.hpp"

namespace grove {

/// Puts particles, force solver, external potentials, integrator, force check and diagnostics together.
template <class Space>
class SimulationOn final : public Simulation {
 public:
  /// `comm` must outlive the simulation.
  SimulationOn(std::unique_ptr<Space> space, const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup);

  void set_softening(const std::vector<double>& of_type) override;
  void start(ParticleSet particles, double time) override;
  void save(SavedState& state) const override;
  void resume(ParticleSet particles, const SavedState& state) override;
  void step_to(double time_after, double dt) override;
  void compute_forces() override;
  const FieldTablePtr& fields() const override { return particles_.table(); }
  double time() const override { return time_; }
  Diagnostics diagnostics() override;
  ParticleSet particles() override;
  std::unique_ptr<ParticleColumns> columns() override;
  ForceBalance force_balance() override;
  ReferenceForces reference_forces(std::uint64_t targets, std::uint64_t seed) override;
  ForceSample compare_forces(const ReferenceForces& reference) override { return check_->compare(particles_, reference); }
  std::vector<std::unique_ptr<Observer>> make_observers(const ObserverSetup& setup) override;
  std::vector<PhaseTime> phase_times() const override;
  WorkCounts work_counts() const override;
  std::uint64_t most_bytes_held() const override { return most_bytes_ever_held_; }
  std::string transport_description() override { return solver_->transport_description(); }
  std::string device_description() const override { return space_->description(); }
  DeviceState device_state() const override { return space_->state(); }

 private:
  /// Sums over the ranks. Collective.
  ExternalSums external_sums();
  void make_solver();
  void require_softening() const;
  /// `drift`: see ForceSolver::prepare().
  void evaluate_forces(double drift);

  std::unique_ptr<Space> space_;
  const Communicator& comm_;
  GravityParameters gravity_;
  const TransportWay transport_;
  Particles<Space> particles_;
  PresentOrder<Space> present_order_;
  std::unique_ptr<ForceSolver<Space>> solver_;
  std::unique_ptr<Integrator<Space>> integrator_;
  ExternalField<Space> external_;
  std::unique_ptr<ForceCheck<Space>> check_;
  PhaseClock<Space> clock_;
  double time_ = 0;
  std::optional<ParticleSums> sums_;      ///< over the particles as they are now
  std::size_t most_bytes_held_ = 0;       ///< during the last force evaluation
  std::size_t most_bytes_ever_held_ = 0;  ///< during any of them
};

}  // namespace grove
