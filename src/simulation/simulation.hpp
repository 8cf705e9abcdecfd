// The simulation: owns all particles and all state of one run on one rank, whatever the back end.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "kernels/gravity/gravity_parameters.hpp"

namespace grove {

/// Sums over all particles of all ranks, FP64 compensated, the same bits every run on the same ranks.
struct Diagnostics {
  double time = 0;
  std::uint64_t particle_count = 0;
  double mass = 0;
  double kinetic = 0;
  double potential = 0;  ///< sum of m * phi / 2, self terms excluded
  double momentum[3] = {};
  double angular_momentum[3] = {};
  double centre_of_mass[3] = {};
  double total_energy() const { return kinetic + potential; }
};

/// How well the present forces obey Newton's third law. Sums over all particles of all ranks, FP64 compensated, the same bits every run on
/// the same ranks; code units.
struct ForceBalance {
  double net[3] = {};   ///< sum of m a; without rounding and approximation it is zero
  double absolute = 0;  ///< sum of m |a|
  /// |net| / absolute; 0 when there is no force at all.
  double relative() const { return absolute > 0 ? std::hypot(net[0], net[1], net[2]) / absolute : 0; }
};

/// Wall time of one phase of the last force evaluation or step on this rank.
struct PhaseTime {
  std::string name;
  double seconds = 0;
};

/// What the last force evaluation did on this rank.
struct WorkCounts {
  std::uint64_t targets = 0;            ///< particles that received a force
  std::uint64_t particle_particle = 0;  ///< pair interactions evaluated
  std::uint64_t cell_particle = 0;      ///< multipole interactions evaluated
  std::uint64_t cell_cell = 0;          ///< multipoles added to local expansions
  std::uint64_t opening_tests = 0;      ///< cells tested against the opening criterion
  std::uint64_t cells = 0;              ///< cells of the local tree
  std::uint64_t imported_cells = 0;     ///< cells received from other ranks
  std::uint64_t imported_particles = 0;
  /// The most memory that the back end had allocated at any time of it: particles, trees, lists and scratch, blocks of memory that grew
  /// beside those they replaced, on the device alone where there is one; without the CUDA context.
  std::uint64_t bytes_held = 0;
};

/// Accelerations and potentials of a sample of particles by direct summation in FP64, on every rank.
struct ReferenceForces {
  std::vector<std::uint64_t> id;
  std::vector<double> acceleration;  ///< [3 * size]
  std::vector<double> potential;
};

/// Force error of a sample of particles against direct summation in FP64, on every rank.
struct ForceSample {
  std::vector<std::uint64_t> id;
  std::vector<double> acceleration_error;  ///< |a - a_direct| / |a_direct|
  std::vector<double> potential_error;     ///< |phi - phi_direct| / |phi_direct|
};

/// One run on one rank. All calls are collective over the communicator given at creation.
class Simulation {
 public:
  virtual ~Simulation() = default;

  /// Takes this rank's share of the particles, in any distribution over the ranks (it may be empty), and computes forces.
  virtual void start(const ParticleSet& particles, double time) = 0;
  /// One kick-drift-kick step with the shared step `dt`.
  virtual void step(double dt) = 0;
  /// Recomputes all accelerations and potentials at the present positions.
  virtual void compute_forces() = 0;

  virtual double time() const = 0;
  virtual Diagnostics diagnostics() = 0;
  /// This rank's particles with all fields, in Morton order, copied to the host.
  virtual ParticleSet particles() = 0;
  virtual ForceBalance force_balance() = 0;
  /// Direct sums for `targets` particles at their present positions, chosen by `seed` independently of the number of ranks.
  virtual ReferenceForces reference_forces(std::uint64_t targets, std::uint64_t seed) = 0;
  /// Error of the present forces against `reference`, which may come from another simulation of the same particles at the same positions
  /// with the same G and softening. Throws Error when it has particles that this simulation lacks.
  virtual ForceSample compare_forces(const ReferenceForces& reference) = 0;
  /// Both: error of the present forces for `targets` particles.
  ForceSample sample_force_error(std::uint64_t targets, std::uint64_t seed) { return compare_forces(reference_forces(targets, seed)); }

  virtual std::vector<PhaseTime> phase_times() const = 0;  ///< of the last step or force evaluation
  virtual WorkCounts work_counts() const = 0;
  virtual std::string device_description() const = 0;  ///< e.g. "NVIDIA H200" or "CPU, 8 threads"
};

/// Which back end to use: "auto" (a GPU if there is one), "gpu", "cpu". Throws ConfigError for "gpu" without one, naming what is missing.
/// Not collective itself; the result's calls are.
std::unique_ptr<Simulation> make_simulation(const std::string& device, const GravityParameters& gravity, const Communicator& comm);

/// Names of the back ends built in, e.g. "cuda 13.0 (sm_90), cpu (OpenMP)".
std::string built_back_ends();

}  // namespace grove
