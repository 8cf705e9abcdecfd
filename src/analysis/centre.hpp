// The centre of a snapshot and its velocity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "kernels/space/vector.hpp"
#include "src/analysis/groups.hpp"

namespace grove {

enum class CentreKind : std::uint8_t { densest, inner, mass, given };

/// What the user wants for a centre.
struct CentreChoice {
  CentreKind kind = CentreKind::densest;
  Double3 position;  ///< of a given one, code units
  /// Of the sphere whose mean velocity is that of the centre; empty: chosen by kind, see find_centre().
  std::optional<double> velocity_radius;
};

/// A centre and its velocity: the mean, weighted by mass, of the particles within `radius` of it. Code units.
struct Centre {
  Double3 position, velocity;
  std::uint64_t particles = 0;  ///< whose mean the velocity is
  double radius = 0;
};

/// The centre of the particles of all ranks.
///
/// densest: the densest cell, of three divisions of space, that has a nucleus (1 % of the particles, 32 at least, or all where there are no
/// more), then shrinking spheres (Power et al. 2003, MNRAS 338, 14): a sphere about the middle of the cell, of three times its side, moves
/// to its centre of mass and shrinks by 2.5 %, until it has less than a quarter of its first particles or less than a nucleus. Power et al.
/// start with all particles, and can end between two galaxies. If the sphere ends more than two sides from the cell, it starts once more
/// with half the size. The velocity is the mean in the last sphere.
///
/// inner: from there, the sphere about the centre that holds half of the particles moves to its centre of mass until it stands still.
/// In a disc with clumps it ends in the centre of the disc. The velocity is the mean of that half.
///
/// given: the velocity is the mean of a tenth of the particles, those nearest to the centre, or of a nucleus where that is more.
///
/// mass: centre of mass; the velocity is the mean of all.
///
/// Where no particle has mass, all weigh the same. The same bits on any number of ranks and for any order of the particles. Collective.
/// Throws AgreedError: exit code of DataError where the centre is not finite, of ConfigError where no particle is within the radius that
/// was chosen for the velocity.
Centre find_centre(const ParticleSet& particles, const Group& all, const CentreChoice& choice, const Communicator& comm);

/// A sentence where a centre or its velocity is far from the mean of the particles, compared with their scatter; else empty. Collective.
std::string note_on_centre(const ParticleSet& particles, const Group& all, const Centre& centre, const Communicator& comm);

}  // namespace grove
