// The components of a snapshot, and all of its particles together: what is measured for each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "kernels/space/vector.hpp"

namespace grove {

/// Stands for the particles of all types.
inline constexpr int all_types = -1;

/// A component, or all particles.
struct Group {
  int type = all_types;  ///< of its particles
  std::string name = "all";
  std::uint64_t particles = 0;
  double mass = 0;  ///< code units

  bool has(std::uint8_t type_of_particle) const { return type == all_types || type == type_of_particle; }
  /// What a particle weighs in means: its mass or, where no particle of the group has any, 1.
  double weight(double mass_of_particle) const { return mass > 0 ? mass_of_particle : 1.0; }
};

/// All particles first, then each type that has some, in order. The same on all ranks. Collective.
std::vector<Group> groups_of(const ParticleSet& particles, const ComponentNames& names, const Communicator& comm);

inline Double3 position_at(const ParticleSet& particles, std::size_t i) {
  return {particles.position[3 * i], particles.position[3 * i + 1], particles.position[3 * i + 2]};
}
inline Double3 velocity_at(const ParticleSet& particles, std::size_t i) {
  return {particles.velocity[3 * i], particles.velocity[3 * i + 1], particles.velocity[3 * i + 2]};
}
inline Double3 cross(const Double3& a, const Double3& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

}  // namespace grove
