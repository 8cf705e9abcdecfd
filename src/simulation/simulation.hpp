// The simulation: owns all particles and all state of one run on one rank, whatever the back end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/saved_state.hpp"
#include "kernels/gravity/gravity_parameters.hpp"
#include "kernels/particles/particle_columns.hpp"
#include "kernels/particles/particle_set.hpp"
#include "kernels/space/device_state.hpp"
#include "src/integrators/rung_work.hpp"
#include "src/simulation/diagnostics.hpp"
#include "src/simulation/field.hpp"
#include "src/simulation/force_sample.hpp"
#include "src/simulation/step_criterion.hpp"
#include "src/solver/work_counts.hpp"

namespace grove {

class HostSpace;
class CudaSpace;
template <class Space>
class Particles;

/// Something that needs the particles where they are, in the memory of the space that a simulation runs in.
class ParticleVisitor {
 public:
  virtual ~ParticleVisitor() = default;
  virtual void visit(HostSpace& space, const Particles<HostSpace>& particles) = 0;
  virtual void visit(CudaSpace& space, const Particles<CudaSpace>& particles) = 0;
};

/// The particles of one rank where they are, in the memory of the CPU or the GPU and in their present order. Code units.
struct ParticleMemory {
  std::size_t count = 0;
  double* position = nullptr;            ///< [4 * count] x y z, mass
  double* velocity = nullptr;            ///< [3 * count]
  const double* acceleration = nullptr;  ///< [4 * count] x y z, potential per unit mass
  const std::uint64_t* id = nullptr;
  const std::uint8_t* type = nullptr;
};

/// What may happen at the same time as a step.
struct StepOverlap {
  /// The length of the step after it. To be given only if nothing will be asked for between the two steps except diagnostics(),
  /// phase_times(), time() and descriptions. The second step may then begin before the results of the first are known.
  std::optional<double> next_dt{};
  /// Work that concerns the host alone. It is done once: before the step, or during it while the device is busy. Where the step throws, it
  /// may not have been done.
  std::function<void()> host_work{};
};

/// Wall time of one phase of the last force evaluation or step on this rank.
struct PhaseTime {
  std::string name;
  double seconds = 0;
};

/// One run on one rank. All calls are collective over the communicator given at creation.
class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Sets the softening length of each particle type and of pairs of types (GravityParameters::softening_of_type,
  /// softening_between_types). To be called before each start() or resume() where has_softening_of_components(). The same on all ranks.
  virtual void set_softening(const std::vector<double>& of_type, const std::vector<SofteningBetween>& between = {}) = 0;

  /// Takes this rank's share of the particles, in any distribution over the ranks (it may be empty), and computes forces. Nothing of an
  /// earlier run remains. The particles' table of fields must be fields(), and their ids must differ, over all ranks. Their memory on the
  /// host is given back before the forces are computed. A negative mass or an unknown type is an AgreedError on all ranks.
  virtual void start(ParticleSet particles, double time) = 0;
  /// The field of this rank's share of any particles, with the settings and on the device of this simulation, which does not change and
  /// need not outlive it. Of the particles position, mass, id and type are needed. `time`: of messages. Errors as in start().
  virtual std::unique_ptr<Field> field_of(ParticleSet particles, double time) const = 0;
  /// What the next steps depend on beside the particles, the same on all ranks. Collective.
  virtual void save(SavedState& state) const = 0;
  /// Takes the particles and the state of a run that was saved, instead of start(). `particles` has this rank's, with all fields that
  /// belong to a restart. On as many ranks of the same kind, with the same settings, what follows has the bits that it would have had
  /// without the interruption. Forces are computed only if the particles come without. Memory of the host as in start().
  virtual void resume(ParticleSet particles, const SavedState& state) = 0;
  /// Throws ConfigError where an external potential has no place at a time between these. Not collective; the same on all ranks.
  virtual void require_times(double, double) const {}
  /// One step of the integrator, of length `dt`. It ends at `time_after`, which comes from a schedule, so that roundings do not add up. An
  /// overlap saves time; the bits are the same without it. Throws std::logic_error where the step has begun with another length.
  virtual void step_to(double time_after, double dt, const StepOverlap& overlap = {}) = 0;
  /// Whether the particles are those of time(). If not, the next step has begun: then nothing may be asked for except what StepOverlap
  /// lists, until it is taken.
  virtual bool is_synchronised() const { return true; }
  /// Receives what other ranks have sent for a step that has begun: before an error ends a run on all ranks. Collective.
  virtual void end_messages() {}
  void step(double dt) { step_to(time() + dt, dt); }
  /// Recomputes all accelerations and potentials at the present positions.
  virtual void compute_forces() = 0;

  /// The fields of this run's particles: the standard ones, those of the integrator, and those that were asked for.
  virtual const FieldTablePtr& fields() const = 0;
  virtual double time() const = 0;
  virtual Diagnostics diagnostics() = 0;
  /// What the criterion of `steps` says of a step `dt` for the present accelerations (see apply_step_criterion).
  virtual StepCriterion check_step(double dt, const StepParameters& steps, double tolerated) = 0;
  /// This rank's particles with all fields, in their present order, copied to the host.
  virtual ParticleSet particles() = 0;
  /// The same field by field, each copied when it is asked for. As long as the object lives, nothing else may be called.
  virtual std::unique_ptr<ParticleColumns> columns() = 0;
  virtual ForceBalance force_balance() = 0;
  /// Direct sums for `targets` particles at their present positions, chosen by `seed` independently of the number of ranks.
  virtual ReferenceForces reference_forces(std::uint64_t targets, std::uint64_t seed) = 0;
  /// Error of the present forces against `reference`, which may come from another simulation of the same particles at the same positions
  /// with the same G and softening. Throws Error when it has particles that this simulation lacks.
  virtual ForceSample compare_forces(const ReferenceForces& reference) = 0;
  /// Both of these calls: error of the present forces for `targets` particles.
  ForceSample sample_force_error(std::uint64_t targets, std::uint64_t seed) { return compare_forces(reference_forces(targets, seed)); }

  /// Calls the function of `visitor` for the space of this simulation. The references stay valid as long as the simulation; the particles
  /// may be looked at where is_synchronised().
  virtual void visit(ParticleVisitor& visitor) = 0;

  /// Valid until the next call. Positions and velocities may be written there, if the next call is memory_was_written().
  virtual ParticleMemory memory() = 0;
  /// Computes the forces of the particles as they are now. On a GPU, what has been written must be there. Throws NotFiniteError, and
  /// DataError where the sum of the masses is another one: the mass of a particle cannot change.
  virtual void memory_was_written() = 0;
  /// Gives this rank's particles, in their present order, these velocities [3 * particles], which are finite; their forces stay. Returns
  /// false, and does nothing, where there are no forces of the present positions.
  virtual bool set_velocities(const std::vector<double>&) { return false; }

  virtual std::vector<PhaseTime> phase_times() const = 0;  ///< of the last step or force evaluation
  virtual WorkCounts work_counts() const = 0;
  /// Which steps it has chosen and why, for the user; empty: there is no choice, or none yet.
  virtual std::string choice_of_steps() const { return {}; }
  virtual RungCensus rung_work() const { return {}; }  ///< of the last step, on this rank
  /// WorkCounts::bytes_held of the evaluation so far that held the most, on this rank.
  virtual std::uint64_t most_bytes_held() const = 0;
  virtual std::string transport_description() = 0;     ///< how messages travel between ranks, for the user
  virtual std::string device_description() const = 0;  ///< e.g. "NVIDIA H200" or "CPU, 8 threads"
  virtual DeviceState device_state() const = 0;        ///< of this rank's device, now
};

}  // namespace grove
