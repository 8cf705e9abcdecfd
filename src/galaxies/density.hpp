// The densities of the kinds of spheres.
#pragma once

#include <functional>

#include "src/galaxies/galaxy_parameters.hpp"

namespace grove {

/// Density of a sphere as a function of the radius in scale radii, in units of its formula.
struct SphereDensity {
  std::function<double(double)> at;
  double first = 1e-5;  ///< below, the density is a power of the radius
  double last = 1;      ///< no mass is beyond
};

/// The density of a sphere's kind with its taper. Throws ConfigError for a file of kind table that cannot be used.
SphereDensity density_of(const ComponentParameters& sphere);

}  // namespace grove
