// The steps of a simulation: everything that says where a step is, and everything that is done early for the next one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/particles/particle_motion.hpp"
#include "src/external/external_field.hpp"
#include "src/integrators/integrator.hpp"
#include "src/simulation/diagnostics.hpp"
#include "src/simulation/own_energy.hpp"
#include "src/simulation/simulation.hpp"
#include "src/solver/force_solver.hpp"

namespace grove {

/// Where the particles of a simulation are, between steps and in them: the steps of StepPipeline::step(), in order. Outside step() a
/// simulation is `synchronised`, `next_begun` or `next_forces_due`; after a step that has thrown it is `moving`.
enum class StepState {
  synchronised,    ///< the particles are those of the time of the simulation
  moving,          ///< in a step: they have been moved, or may be, since forces were computed
  forces_ready,    ///< in a step: their forces are those of their positions
  next_begun,      ///< the step has ended, and the next one has moved the particles, or may
  next_forces_due  ///< the same, and the next step waits for its first forces
};

/// In words.
constexpr const char* to_string(StepState state) {
  constexpr const char* words[] = {"synchronised", "in a step", "in a step, with its forces", "in the next step",
                                   "in the next step, before its first forces"};
  return words[static_cast<std::size_t>(state)];
}

/// Whether the step after that of the simulation's time has begun.
constexpr bool has_next_step_begun(StepState state) { return state == StepState::next_begun || state == StepState::next_forces_due; }

/// What a step works with. All of it outlives the pipeline.
template <class Space>
struct StepParts {
  Space& space;
  const Communicator& comm;
  Particles<Space>& particles;
  ForceSolver<Space>& solver;
  Integrator<Space>& integrator;
  ExternalField<Space>& external;
  const OwnEnergy<Space>& own_energy;
};

/// Takes the steps of an integrator. Kicks wait until it is known what shares their loop: a drift, the sums over particles with which a
/// step ends, or both and the first kick of the next step. If the length of the next step is known, its part before the forces follows
/// while the host waits for the results of the present one: kick and drift, and the preparation of the forces, too.
template <class Space>
class StepPipeline final : private StepContext<Space> {
 public:
  explicit StepPipeline(const StepParts<Space>& parts);

  /// The particles are, or will be, those of `time`. Forgets a step that has begun. Collective.
  void restart(double time);
  /// Computes the forces of the particles as they are. Collective. Throws NotFiniteError.
  void recompute_forces();
  /// See Simulation::step_to(). Collective; synchronises. Throws NotFiniteError and what the solver throws; the particles may then be
  /// looked at, in the middle of the step.
  void step(double time_after, double dt, const StepOverlap& overlap);

  StepState state() const { return state_; }
  double time() const { return time_; }
  /// Throws std::logic_error where the next step has begun.
  void require_no_next_step() const;
  /// Of all ranks, at time(), also where the next step has begun. Collective where they are not known yet; synchronises.
  std::span<const RankSums> sums();
  /// The phases of the last step, or of the last forces outside a step.
  const PhaseClock<Space>& clock() const { return *clock_; }
  /// During the last force evaluation, and during any of them: see WorkCounts::bytes_held.
  std::size_t bytes_held() const { return bytes_held_; }
  std::size_t most_bytes_held() const { return most_bytes_held_; }

 private:
  // For the integrator.
  Space& space() override;
  const Communicator& comm() override { return parts_.comm; }
  Particles<Space>& particles() override;
  void kick(double dt) override;
  void drift(double dt) override;
  void positions_are_at(double since_beginning) override { time_of_positions_ = time_of_beginning_ + since_beginning; }
  bool has_external_forces() override { return !parts_.external.empty(); }
  void forces_are_set(double since_beginning) override;
  void compute_forces(double next_drift, const MarkActive<Space>& mark) override;

  void forget_step(double time);
  void take_step(double dt, const std::optional<double>& next_dt);
  void take_first_part(double dt);
  void begin_next_step(double dt);
  void finish_step();
  void require_open() const;
  void begin_motion();
  void take_kicks();
  void take_sums();
  void set_sums(const ParticleSums& own);
  void forget_sums();
  void prepare_next_forces();
  void evaluate_forces(double next_drift, const MarkActive<Space>& mark);
  void do_host_work();

  const StepParts<Space> parts_;
  StepState state_ = StepState::synchronised;
  std::optional<double> kick_;       ///< asked for last, not taken yet
  std::optional<double> last_kick_;  ///< of the step that has ended, not taken yet
  double next_dt_ = 0;               ///< length of the next step, where it has begun
  double next_drift_ = 0;            ///< of compute_forces(), where the next step waits for forces

  double time_ = 0;
  double time_of_positions_ = 0;                           ///< also in a step
  double time_of_beginning_ = 0;                           ///< of the step, in one
  std::optional<ParticleSums> own_sums_;                   ///< of this rank, at time()
  std::optional<LaterSums<Space>> later_sums_;             ///< the same, while the device computes them
  std::vector<RankSums> sums_;                             ///< of all ranks; empty: not gathered yet
  bool are_of_some_ = false;                               ///< accelerations are those of the particles that were active
  std::function<void()> host_work_;                        ///< to be done while the device is busy; empty: none
  std::unique_ptr<PhaseClock<Space>> clock_, next_clock_;  ///< of the present step and of the next one
  std::size_t bytes_held_ = 0, most_bytes_held_ = 0;
};

}  // namespace grove
