// Sums over the particles in each pixel of a picture, made where the particles are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/particles/particles.hpp"
#include "src/pictures/picture_state.hpp"

namespace grove {

/// The particles that a picture shows: bit k stands for type k.
using TypeMask = std::uint32_t;

/// Adds the particles of the types in `mask` to the pixels in which they are.
/// @param mass      [pixels of the view] quanta; the caller sets them to 0 before
/// @param momentum  [pixels of the view] quanta of m |v|, or null; the same
/// Asynchronous.
template <class Space>
void add_to_pixels(Space& space, const Particles<Space>& particles, const PictureView& view, const PictureQuanta& quanta, TypeMask mask,
                   View<std::uint64_t> mass, std::uint64_t* momentum);

/// The largest speed of any particle of this rank, code units.
template <class Space>
double largest_speed(Space& space, const Particles<Space>& particles);

/// Adds the mass of each particle to the bin of its distance from `centre`.
/// @param per_mass  quanta
/// @param mass      [distance_bins] quanta; the caller sets them to 0 before
/// Asynchronous.
template <class Space>
void add_to_distances(Space& space, const Particles<Space>& particles, const Double3& centre, double per_mass, TypeMask mask,
                      View<std::uint64_t> mass);

/// The particles of this rank that a picture shows; sums in code units.
struct ShownParticles {
  Double3 moment;  ///< sum of mass times place
  double mass = 0;
  std::uint64_t count = 0;
};
template <class Space>
ShownParticles shown_particles(Space& space, const Particles<Space>& particles, TypeMask mask);

}  // namespace grove
