// Disc galaxies described by a few keys, alone or two of them on an orbit.
#pragma once

#include <string>
#include <vector>

#include "src/generators/generator.hpp"

namespace grove {

/// The keys of the shape of a disc and its halo: disc_mass, disc_particles, height, toomre_q, halo_radius.
std::vector<Setting> disc_settings();

/// A halo of the kind `halo` and an exponential disc of scale length `length`, of `mass` together and of the shape that `conditions` have
/// in disc_settings() and in `taper`, that of the halo.
GalaxyParameters disc_galaxy(const InitialConditions& conditions, const std::string& name, const std::string& halo, double mass,
                             double length);

}  // namespace grove
