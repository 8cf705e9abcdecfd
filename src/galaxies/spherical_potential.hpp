// The potential of a whole galaxy, as the mean over angles, that one of its components moves in.
#pragma once

#include <vector>

#include "src/galaxies/radial_grid.hpp"

namespace grove {

/// Made from the specific force towards the centre at the radii of a grid. Energies are counted from the centre upwards, which keeps all
/// digits of those that are small. Code units.
class SphericalPotential {
 public:
  SphericalPotential(const RadialGrid& grid, const std::vector<double>& force);

  /// Potential above that of the centre, and its greatest value, at infinity.
  double above_centre(double log_radius) const { return std::exp(log_above_(log_radius)); }
  double depth() const { return depth_; }
  /// Potential below that at infinity, > 0.
  double below_infinity(double log_radius) const;
  /// d potential / d ln r, and the slope of its logarithm.
  double gradient(double log_radius) const { return std::exp(log_gradient_(log_radius)); }
  double slope_of_gradient(double log_radius) const { return log_gradient_.slope(log_radius); }
  /// The inverse of above_centre(), for an energy inside the range of the grid.
  double log_radius_at(double energy) const;
  const RadialGrid& grid() const { return grid_; }

 private:
  SphericalPotential(const RadialGrid& grid, const std::vector<double>& log_gradient, double far);

  RadialGrid grid_;
  std::vector<double> above_;
  RadialSpline log_gradient_, log_above_, log_below_;
  double depth_;
};

}  // namespace grove
