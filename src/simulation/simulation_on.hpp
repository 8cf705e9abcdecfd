// The simulation on one back end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/direct_sum_over_ranks.hpp"
#include "src/simulation/force_solver.hpp"
#include "src/integrators/leapfrog.hpp"
#include "src/simulation/simulation.hpp"

namespace grove {

/// Owns the particles and all state of a run in the memory of `Space`.
template <class Space>
class SimulationOn final : public Simulation {
 public:
  /// `comm` must outlive the simulation.
  SimulationOn(std::unique_ptr<Space> space, const GravityParameters& gravity, const Communicator& comm);

  void start(const ParticleSet& particles, double time) override;
  void step(double dt) override;
  void compute_forces() override;
  double time() const override { return time_; }
  Diagnostics diagnostics() override;
  ParticleSet particles() override;
  ForceBalance force_balance() override;
  ReferenceForces reference_forces(std::uint64_t targets, std::uint64_t seed) override;
  ForceSample compare_forces(const ReferenceForces& reference) override;
  std::vector<PhaseTime> phase_times() const override;
  WorkCounts work_counts() const override;
  std::string device_description() const override { return space_->description(); }

 private:
  void evaluate_forces();
  void require_finite(ParticlePart part);
  /// Copies `count` items from the one numbered `first` on to `to`, on the host.
  template <class T>
  void download(const Buffer<Space, T>& from, std::size_t first, std::size_t count, T* to);
  /// Indices, ascending, of this rank's particles in a sample of `wanted` over all ranks. Collective.
  std::vector<std::uint64_t> random_sample(std::uint64_t wanted, std::uint64_t seed);

  std::unique_ptr<Space> space_;
  const Communicator& comm_;
  const GravityParameters gravity_;
  Particles<Space> particles_;
  std::unique_ptr<ForceSolver<Space>> method_;
  DirectSumOverRanks<Space> reference_;  ///< for reference_forces
  PhaseClock<Space> clock_;
  double time_ = 0;
  std::size_t most_bytes_held_ = 0;  ///< during the last force evaluation
};

}  // namespace grove
