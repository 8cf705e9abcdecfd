// A galaxy in equilibrium: numbers, masses, softenings and distribution functions of its components, all in one potential.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/galaxies/disc_distribution.hpp"
#include "src/galaxies/galaxy_parameters.hpp"
#include "src/galaxies/sphere_distribution.hpp"

namespace grove {

/// What a component is made of. Code units.
struct ComponentPlan {
  std::string name;
  std::uint64_t count = 0;
  double mass = 0;              ///< of all its particles
  double half_mass_radius = 0;  ///< 0 for a point
  double softening = 0;         ///< its own, or by number and size
};

/// Whether a component is a halo by its type or name: its particles are heavier.
bool is_halo(const ComponentParameters& component);
/// How many times as heavy as all others the particles of haloes are.
inline constexpr double halo_particle_mass = 5;
/// How many times as many particles for its mass a component has as a halo.
double particles_for_mass(const ComponentParameters& component);

/// How many particles each component of a galaxy has, and what follows from that: a point is one particle, and where components give no
/// part of the `n`, particles of haloes (type 1 or the name halo) are 5 times as heavy as all others. The default softening is a quarter of
/// the mean distance of a component's particles inside its half-mass radius; a point has the smallest one of the others. G: 1 does for all
/// but components that give a circular velocity. Throws ConfigError when the parts exceed 1, or `n` is too small.
std::vector<ComponentPlan> plan_of(const GalaxyParameters& galaxy, std::uint64_t n, double G);

/// A component that can be drawn. Safe with many threads.
class GalaxyComponent {
 public:
  ComponentPlan plan;
  std::shared_ptr<const SphereDistribution> sphere;  ///< or
  std::shared_ptr<const DiscDistribution> disc;      ///< or a point

  /// One particle about the centre. Throws ConfigError that names the component where no velocity is found.
  void draw(RandomStream& random, double (&position)[3], double (&velocity)[3]) const;
};

/// The components with their distribution functions, in the order of `galaxy`. The potential of every pair of components has the larger one
/// of their softening lengths, as forces have. Throws ConfigError where a distribution function is negative, which names the component.
std::vector<GalaxyComponent> galaxy_components(const GalaxyParameters& galaxy, std::uint64_t n, double G);

/// Circular velocities in the plane of the discs. Code units.
struct RotationCurve {
  std::vector<double> radius;
  std::vector<std::vector<double>> squared;  ///< [components][radius.size()]; < 0 where a disc pulls outwards

  /// Of all components, between the radii; constant beyond the last one.
  double total_at(double R) const;
};

/// The velocity that each component alone gives, with its own softening, out to 25 times the longest scale length.
RotationCurve rotation_curve(const GalaxyParameters& galaxy, std::uint64_t n, double G);

}  // namespace grove
