// Disc galaxies, alone or two of them on an orbit: an exponential disc in a spherical halo (disc_equilibrium.hpp).
#pragma once

#include <string>
#include <vector>

#include "src/generators/disc_equilibrium.hpp"
#include "src/generators/model_parts.hpp"

namespace grove {

/// Draws the particles of a galaxy at rest at the origin. The disc lies in the xy plane and turns about +z.
struct DiscGalaxy {
  Draw disc, halo;
};

/// Mass of disc and halo together, and the scale length of the disc; code units.
struct DiscScale {
  double mass, length;
};

/// A galaxy of the size `scale` with the shape that the disc_settings() of `conditions` say, and their `cutoff`. `halo`: the kind of
/// sphere, "plummer" or "hernquist".
DiscParameters disc_parameters(const InitialConditions& conditions, const DiscScale& scale, const std::string& halo, double G);

DiscGalaxy disc_galaxy(const DiscParameters& parameters, const std::string& halo);

/// The keys of a disc galaxy's shape: disc_mass, disc_particles, height, toomre_q, halo_radius.
std::vector<Setting> disc_settings();

}  // namespace grove
