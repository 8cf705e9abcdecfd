// Conserved quantities of a run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_motion.hpp"

namespace grove {

/// What an error of an energy is compared with: the energy, unless its kinetic and potential parts, `parts` in all, nearly cancel.
inline double energy_scale(double energy, double parts) {
  constexpr double least = 0.01;
  return std::max(std::abs(energy), least * parts);
}

/// Sums over all particles of all ranks, FP64 compensated, the same bits every run on the same ranks.
struct Diagnostics {
  double time = 0;
  std::uint64_t particle_count = 0;
  double mass = 0;
  double kinetic = 0;
  double potential = 0;        ///< of the particles' own gravity: sum of m * phi / 2, self terms excluded
  double external = 0;         ///< in external potentials: sum of m * phi
  double external_virial = 0;  ///< sum of m x a of external potentials, x from the centre of the first
  bool is_held = false;        ///< an external potential is such that nothing escapes
  bool is_driven = false;      ///< an external potential may change with time: the total energy is not conserved
  double momentum[3] = {};
  double angular_momentum[3] = {};
  double centre_of_mass[3] = {};
  double own_kinetic = 0, own_potential = 0;  ///< of the system itself: see OwnEnergy
  /// Mean |change| of v^2 / 2 + phi since the start over energy_scale() of it, where particles without mass conserve it each.
  std::optional<double> change_of_each{};
  std::uint64_t without_mass = 0;  ///< number of particles
  double own_energy() const { return own_kinetic + own_potential; }
  /// Whether motion of the whole, external potentials or a heavy particle have an energy that counts.
  bool differs_from_total() const { return std::abs(total_energy() - own_energy()) > 1e-3 * std::abs(own_energy()); }
  double own_scale() const { return energy_scale(own_energy(), own_kinetic + std::abs(own_potential)); }
  /// As virial_ratio(), of the system itself, without external potentials.
  double own_virial_ratio() const { return own_potential != 0 ? 2 * own_kinetic / std::abs(own_potential) : 0; }
  double total_energy() const { return kinetic + potential + external; }
  /// Twice the kinetic energy over the absolute sum of m x a, 1 in equilibrium: without external potentials that sum is the potential
  /// energy. 0 where there is no force.
  double virial_ratio() const {
    const double virial = potential + external_virial;
    return virial != 0 ? 2 * kinetic / std::abs(virial) : 0;
  }
};

/// How well the present forces obey Newton's third law. Sums over all particles of all ranks, FP64 compensated, the same bits every run on
/// the same ranks; code units.
struct ForceBalance {
  double net[3] = {};   ///< sum of m a; without rounding and approximation it is zero
  double absolute = 0;  ///< sum of m |a|
  /// |net| / absolute; 0 when there is no force at all.
  double relative() const { return absolute > 0 ? std::hypot(net[0], net[1], net[2]) / absolute : 0; }
};

/// Of the particles of one rank.
struct RankSums {
  ParticleSums sums;
  std::uint64_t particle_count = 0;
};

/// The sums of all ranks, in their order, put together at `time`.
Diagnostics diagnostics_of(std::span<const RankSums> all, double time);

/// The forces of all ranks put together. Collective.
ForceBalance force_balance_of(const Communicator& comm, const ForceSums& sums);

}  // namespace grove
