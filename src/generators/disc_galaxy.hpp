// Disc galaxies, alone or two of them on an orbit: an exponential disc in a spherical halo (disc_equilibrium.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/generators/disc_equilibrium.hpp"
#include "src/generators/model_parts.hpp"

namespace grove {

/// Mass of disc and halo together, and the scale length of the disc; code units.
struct DiscScale {
  double mass, length;
};

/// A galaxy of the size `scale`, of the shape that `conditions` have in the keys of add_disc_settings() and in `cutoff`. `halo`: the kind
/// of sphere, "plummer" or "hernquist".
DiscParameters disc_parameters(const InitialConditions& conditions, const DiscScale& scale, const std::string& halo, double G);

/// Both parts of a galaxy at rest at the origin; the disc lies in the xy plane and turns about +z. Their components are left to the caller.
struct DiscGalaxy {
  ModelPart disc, halo;
};

/// The galaxy of these disc_parameters(), of `n` particles.
DiscGalaxy disc_galaxy(const InitialConditions& conditions, const DiscScale& scale, const std::string& halo, std::uint64_t n, double G);

/// Adds the keys of a disc galaxy's shape: disc_mass, disc_particles, height, toomre_q, halo_radius.
void add_disc_settings(std::vector<Setting>& settings);

}  // namespace grove
