// The potential in and near the plane of a galaxy, in which one of its discs moves.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "src/galaxies/galaxy_parameters.hpp"
#include "src/galaxies/sphere_mass.hpp"

namespace grove {

/// Even steps of asinh(R / scale): linear inside of the scale and logarithmic outside.
struct PlaneGrid {
  double scale = 1, spacing = 0.01;
  std::size_t count = 0;

  double radius(std::size_t k) const { return scale * std::sinh(spacing * (static_cast<double>(k) + 0.5)); }
  double place(double radius) const { return std::asinh(radius / scale) / spacing - 0.5; }
};

/// What a disc feels, at the radii of a grid in its plane and at heights above it. A star moves in the plane as the mean over the heights
/// that it reaches lets it: potential and force are means with the weights. Derivatives are those of the formulas, since close to a point
/// no step of a grid is small enough. Code units.
struct PlanePotential {
  PlaneGrid grid;
  std::vector<double> heights, weights;    ///< the first height is 0; weights add up to 1
  std::vector<double> potential;           ///< [grid.count]
  std::vector<double> circular_velocity2;  ///< [grid.count]: its derivative by ln R
  std::vector<double> slope_of_velocity2;  ///< [grid.count]: the derivative of that by ln R
  std::vector<double> above_plane;         ///< [grid.count][heights.size()]: potential there less that in the plane

  PlanePotential(const PlaneGrid& radii, std::vector<double> at_heights, std::vector<double> weights_of_heights);
};

/// The grid and heights of a disc, with the parts of its mass as weights.
PlanePotential plane_of(const ComponentParameters& disc);

/// Adds the field of a disc, exponential in radius, with a Plummer softening: a Hankel transform, in which softening acts like a height.
void add_disc(const ComponentParameters& source, double softening, double G, PlanePotential& plane);

/// Adds the field of spherical shells, or of a point of `mass`.
void add_sphere(const Shells& shells, const RadialGrid& grid, double softening, double G, PlanePotential& plane);
void add_point(double mass, double softening, double G, PlanePotential& plane);

}  // namespace grove
