// Whether drawn galaxies are in equilibrium: their particles and the forces on them against the models they are drawn from.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/particles/particle_set.hpp"
#include "src/galaxies/galaxy_model.hpp"

namespace grove {

/// A number of the model and that of the particles. Code units.
struct Compared {
  double wanted = 0, drawn = 0;
  double noise = 0;    ///< standard deviation over samples of as many particles
  double allowed = 0;  ///< by how much the two may differ beyond the noise

  double sigmas() const { return noise > 0 ? (drawn - wanted) / noise : 0; }
  /// More than 4 sigma, or not a number.
  bool is_off() const { return !(std::abs(drawn - wanted) <= 4 * noise + allowed); }
};

/// Between two radii that hold known parts of the model's mass: spheres of r, or cylinders of R in the plane of a disc. Code units.
struct CheckedShell {
  double radius = 0;                 ///< half of the mass between the two is further in
  double circular_velocity = 0;      ///< there, in the plane, of all components (RotationCurve::total_at)
  Compared density;                  ///< of a disc: surface density
  Compared radial;                   ///< dispersion of radial velocities
  Compared across;                   ///< dispersion of a component across the radius; of a disc: mean |z|
  Compared flow;                     ///< mean radial velocity over circular_velocity
  double wanted_q = 0, drawn_q = 0;  ///< Toomre's Q of a disc
};

struct CheckedComponent {
  GalaxyComponent model;
  Compared virial;                   ///< 2 K / |sum m x.a| about the centre of the galaxy, with a of all particles
  std::vector<CheckedShell> shells;  ///< none of a point
};

struct CheckedGalaxy {
  GalaxyParameters parameters;
  std::vector<CheckedComponent> components;
  RotationCurve rotation;
};

/// Compares particles of the model of `galaxies` (model_of_galaxies()), which have accelerations, with that model. They may be on any rank;
/// their ids tell what they are. Noise of the virial ratio is that of the particles themselves and that of the forces which they make.
/// Collective; throws AgreedError.
/// @param n  particles of all galaxies and ranks
std::vector<CheckedGalaxy> check_galaxies(const std::vector<GalaxyParameters>& galaxies, std::uint64_t n, double G,
                                          const ParticleSet& particles, const Communicator& comm);

}  // namespace grove
