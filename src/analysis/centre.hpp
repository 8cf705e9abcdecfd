// Where the middle of a snapshot is, and how it moves.
#pragma once

#include <cstdint>
#include <optional>

#include "decomposition/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "kernels/space/vector.hpp"
#include "src/analysis/groups.hpp"

namespace grove {

enum class CentreKind : std::uint8_t { densest, mass, given };

/// What the user wants for a centre.
struct CentreChoice {
  CentreKind kind = CentreKind::densest;
  Double3 position;  ///< of a given one, code units
  /// Of the sphere whose mean velocity is that of the centre; empty: chosen by kind, see find_centre().
  std::optional<double> velocity_radius;
};

/// A centre and its velocity: the mean, weighted by mass, of the particles no farther than `radius` from it. Code units.
struct Centre {
  Double3 position, velocity;
  std::uint64_t particles = 0;  ///< whose mean the velocity is
  double radius = 0;
};

/// How many particles make a nucleus: 1 % of them, 32 at least, or all where there are no more than that.
std::uint64_t nucleus_size(std::uint64_t particles);

/// The centre of the particles of all ranks.
///
/// densest: the densest cell of nucleus_size() particles or more (densest_cell.hpp), then shrinking spheres (Power et al. 2003, MNRAS 338,
/// 14): the sphere of three times the cell's side about its middle moves to its centre of mass and shrinks by 2.5 %, until less than a
/// quarter of the particles that it had at first, or than nucleus_size(), are in it. Power et al. begin with all particles; two galaxies
/// can then leave the sphere between them. Where the sphere leaves the cell by more than two sides, it begins with half the size. The
/// velocity is the mean in the last sphere.
///
/// given: the velocity is the mean of a tenth of the particles, those nearest to the centre, or of nucleus_size() where that is more.
///
/// mass: centre of mass; the velocity is the mean of all.
///
/// Where no particle has mass, all weigh the same. The same bits on any number of ranks and for any order of the
/// particles. Collective. Throws AgreedError: exit code of DataError where the numbers are so large that the centre is no finite number, of
/// ConfigError where no particle is within the radius that was chosen for the velocity.
Centre find_centre(const ParticleSet& particles, const Group& all, const CentreChoice& choice, const Communicator& comm);

}  // namespace grove
