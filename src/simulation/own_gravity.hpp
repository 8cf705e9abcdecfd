// The magnitude of each particle's own gravity, where accelerations do not tell it.
#pragma once

#include "kernels/particles/particles.hpp"

namespace grove {

/// An opening criterion looks at the last gravity of the particles on each other. Where accelerations have more in them, or are those of
/// some particles alone, a field of the particles keeps its magnitude, and takes the place of the accelerations before the next forces:
/// - An external potential moves the particles, and snapshots have it; in a strong one an opening criterion would allow errors as large as
///   the forces that hold a cluster together.
/// - Particles with steps of their own have forces at different times, and a sort loses accelerations.
inline constexpr const char* own_gravity_field = "own_gravity";
inline ParticleField own_gravity_row() { return {.name = own_gravity_field, .type = ElementType::f8}; }

/// Whether the particles have that field.
template <class Space>
bool keeps_own_gravity(const Particles<Space>& particles) {
  return particles.table()->find(own_gravity_field) != nullptr;
}

/// Keeps the magnitudes of the accelerations of the active particles (null: of all). Asynchronous.
template <class Space>
void keep_own_gravity(Space& space, Particles<Space>& particles, const std::uint8_t* active);

/// Sets all accelerations to what was kept, in magnitude, and potentials to zero. Asynchronous.
template <class Space>
void show_own_gravity(Space& space, Particles<Space>& particles);

}  // namespace grove
