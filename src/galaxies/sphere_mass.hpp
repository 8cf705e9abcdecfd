// The mass of one component as spherical shells: its own for a sphere, the mean over angles for a disc.
#pragma once

#include <vector>

#include "src/galaxies/galaxy_parameters.hpp"
#include "src/galaxies/radial_grid.hpp"

namespace grove {

/// Masses of spherical shells, one around each radius of a grid. Code units.
struct Shells {
  std::vector<double> mass;  ///< [grid.count]
  double core = 0;           ///< of all that is further in than the first shell
  double total() const;
};

/// A sphere of a kind, with the amplitude that its mass, density or circular velocity gives.
struct SphereMass {
  std::vector<double> density;  ///< [grid.count]
  double first_radius = 0;      ///< its distribution function is taken as constant further in
  Shells shells;
};

/// The grid that holds all components of a galaxy. Throws ConfigError for a density table that cannot be used.
RadialGrid grid_of(const GalaxyParameters& galaxy);

/// Throws ConfigError for a density table that cannot be used.
SphereMass sphere_mass(const ComponentParameters& sphere, const RadialGrid& grid, double G);

/// The shells of a disc of `mass`.
Shells shells_of_disc(const ComponentParameters& disc, const RadialGrid& grid);

/// The radius inside which a part, from 0 to 1, of the mass lies.
double radius_with(double part, const Shells& shells, const RadialGrid& grid);

/// Specific force towards the centre of shells at the radii of the grid, Plummer-softened with `softening`: G times the result.
std::vector<double> force_of(const Shells& shells, const RadialGrid& grid, double softening);

/// The same of a point of mass 1.
std::vector<double> force_of_point(const RadialGrid& grid, double softening);

}  // namespace grove
