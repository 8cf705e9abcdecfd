// The simulation in the memory of one space.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/particles/host_columns.hpp"
#include "kernels/particles/item_order.hpp"
#include "kernels/particles/particle_transfer.hpp"
#include "src/simulation/devices.hpp"
#include "src/simulation/step_pipeline.hpp"

namespace grove {

/// Puts particles, force solver, external potentials, integrator, steps, force check and diagnostics together.
template <class Space>
class SimulationOn final : public Simulation {
 public:
  /// `comm` must outlive the simulation.
  SimulationOn(std::unique_ptr<Space> space, const GravityParameters& gravity, const Communicator& comm, const SimulationSetup& setup);

  void set_softening(const std::vector<double>& of_type, const std::vector<SofteningBetween>& between) override;
  void start(ParticleSet particles, double time) override;
  std::unique_ptr<Field> field_of(ParticleSet particles, double time) const override;
  void save(SavedState& state) const override;
  void resume(ParticleSet particles, const SavedState& state) override;
  void step_to(double time_after, double dt, const StepOverlap& overlap) override {
    require_times(std::min(time(), time_after), std::max(time(), time_after));
    steps_->step(time_after, dt, overlap);
  }
  void require_times(double begin, double end) const override { external_.require_times(begin, end); }
  bool is_synchronised() const override { return steps_->state() == StepState::synchronised; }
  void end_messages() override { solver_->forget_ahead(); }
  void compute_forces() override { steps_->recompute_forces(); }
  const FieldTablePtr& fields() const override { return particles_.table(); }
  double time() const override { return steps_->time(); }
  Diagnostics diagnostics() override;
  StepCriterion check_step(double dt, const StepParameters& steps, double tolerated) override {
    return apply_step_criterion(*space_, comm_, synchronised_particles(), gravity_, dt, steps, tolerated);
  }
  ParticleSet particles() override { return download(*space_, synchronised_particles()); }
  std::unique_ptr<ParticleColumns> columns() override {
    return std::make_unique<ColumnsOnDemand<Space>>(*space_, synchronised_particles().table(), present_order_);
  }
  ForceBalance force_balance() override;
  ReferenceForces reference_forces(std::uint64_t targets, std::uint64_t seed) override {
    return sampler_->reference_forces(synchronised_particles(), targets, seed);
  }
  ForceSample compare_forces(const ReferenceForces& reference) override { return sampler_->compare(synchronised_particles(), reference); }
  void visit(ParticleVisitor& visitor) override { visitor.visit(*space_, particles_); }
  ParticleMemory memory() override;
  void memory_was_written() override;
  bool set_velocities(const std::vector<double>& velocity) override;
  std::vector<PhaseTime> phase_times() const override;
  WorkCounts work_counts() const override;
  std::string choice_of_steps() const override { return integrator_->choice_of_steps(); }
  RungCensus rung_work() const override { return integrator_->rung_work(); }
  std::uint64_t most_bytes_held() const override { return steps_->most_bytes_held(); }
  std::string transport_description() override { return solver_->transport_description(); }
  std::string device_description() const override { return space_->description(); }
  DeviceState device_state() const override { return space_->state(); }

 private:
  /// Throws std::logic_error where the next step has begun.
  const Particles<Space>& synchronised_particles() const {
    steps_->require_no_next_step();
    return particles_;
  }
  /// Sums over the ranks. Collective.
  ExternalSums external_sums();
  /// For so many particles of all ranks.
  void make_solver(std::uint64_t particle_count = many_particles);
  void require_softening() const;
  void take(const ParticleSet& set);
  /// Of the present particles, which are the first ones.
  void begin_energies();

  std::unique_ptr<Space> space_;
  const Communicator& comm_;
  GravityParameters gravity_;
  const SimulationSetup setup_;
  Particles<Space> particles_;
  PresentOrder<Space> present_order_;
  std::unique_ptr<ForceSolver<Space>> solver_;
  std::unique_ptr<Integrator<Space>> integrator_;
  ExternalField<Space> external_;
  OwnEnergy<Space> own_energy_;
  std::unique_ptr<ForceSampler<Space>> sampler_;
  std::unique_ptr<StepPipeline<Space>> steps_;
  double mass_shown_ = 0;  ///< of all ranks, when memory() was called
};

}  // namespace grove
