// The simulation in the memory of one space.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
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
  void announce_step(double dt) override { announced_dt_ = dt; }
  bool is_ahead() const override { return ahead_dt_.has_value(); }
  void do_meanwhile(const std::function<void()>& work) override;
  void compute_forces() override;
  const FieldTablePtr& fields() const override { return particles_.table(); }
  double time() const override { return time_; }
  Diagnostics diagnostics() override;
  ParticleSet particles() override;
  std::unique_ptr<ParticleColumns> columns() override;
  ForceBalance force_balance() override;
  ReferenceForces reference_forces(std::uint64_t targets, std::uint64_t seed) override;
  ForceSample compare_forces(const ReferenceForces& reference) override;
  void visit(ParticleVisitor& visitor) override { visitor.visit(*space_, particles_); }
  std::vector<PhaseTime> phase_times() const override;
  WorkCounts work_counts() const override;
  std::uint64_t most_bytes_held() const override { return most_bytes_ever_held_; }
  std::string transport_description() override { return solver_->transport_description(); }
  std::string device_description() const override { return space_->description(); }
  DeviceState device_state() const override { return space_->state(); }

 private:
  /// Sums over the ranks. Collective.
  ExternalSums external_sums();
  /// For so many particles of all ranks.
  void make_solver(std::uint64_t particle_count = many_particles);
  void require_softening() const;
  /// `drift`: see ForceSolver::prepare().
  void evaluate_forces(double drift);
  /// Throws std::logic_error where the particles are already those of the next step.
  void require_present() const;
  void forget_next_step();
  PhaseClock<Space>& clock() { return clocks_[clock_turn_]; }
  PhaseClock<Space>& next_clock() { return clocks_[1 - clock_turn_]; }

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
  std::array<PhaseClock<Space>, 2> clocks_;  ///< of the present step, and of the next one
  std::size_t clock_turn_ = 0;
  std::function<void()> meanwhile_;     ///< for the next forces; empty: nothing
  std::optional<double> announced_dt_;  ///< of the step after the next
  std::optional<double> ahead_dt_;      ///< of the step that has begun ahead
  double time_ = 0;
  std::optional<ParticleSums> sums_;      ///< over the particles as they are now; if a step has begun ahead, before it
  std::size_t most_bytes_held_ = 0;       ///< during the last force evaluation
  std::size_t most_bytes_ever_held_ = 0;  ///< during any of them
};

}  // namespace grove
