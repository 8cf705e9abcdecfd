// What each particle's own gravity was, where accelerations do not tell it.
#pragma once

#include "kernels/particles/particles.hpp"

namespace grove {

/// An opening criterion looks at the last gravity of the particles on each other. Where accelerations have more in them, or are those of
/// some particles alone, a field of the particles keeps its magnitude and potential, which take the place of the accelerations before the
/// next forces:
/// - An external potential moves the particles, and snapshots have it; in a strong one an opening criterion would allow errors as large as
///   the forces that hold a cluster together.
/// - Particles with steps of their own have forces at different times, and a sort loses accelerations.
inline constexpr const char* own_gravity_field = "own_gravity";
inline ParticleField own_gravity_row() { return {.name = own_gravity_field, .type = ElementType::f8, .components = 2}; }

/// Whether the particles have that field.
template <class Space>
bool keeps_own_gravity(const Particles<Space>& particles) {
  return particles.table()->find(own_gravity_field) != nullptr;
}

/// Keeps magnitude of acceleration and potential of the active particles (null: of all). Asynchronous.
template <class Space>
void keep_own_gravity(Space& space, Particles<Space>& particles, const std::uint8_t* active);

/// Sets all accelerations, in magnitude, and potentials to what was kept. Asynchronous.
template <class Space>
void show_own_gravity(Space& space, Particles<Space>& particles);

}  // namespace grove
