// The orbit on which the merger generator starts its two galaxies.
#pragma once

#include "src/generators/generator.hpp"

namespace grove {

/// Mass, position and velocity of the centres of both galaxies, code units, in their centre-of-mass frame. They approach each other;
/// the orbit lies in the xy plane with its angular momentum along +z, the second galaxy starts on the +x axis.
struct MergerOrbit {
  double mass[2];
  double position[2][3];
  double velocity[2][3];
};

/// The two-body orbit of point masses with the pericentre, eccentricity and separation of `conditions`, a merger. Throws ConfigError for a
/// density table that cannot be used.
MergerOrbit merger_orbit(const InitialConditions& conditions, double G);

/// The potential energy of the two galaxies in each other's field at the start, over that of point masses: 1 unless they overlap. Discs
/// are taken for spheres with the same mass inside each radius, which is right to 0.02 where they are a tenth of the mass. Throws as
/// merger_orbit().
double merger_overlap(const InitialConditions& conditions, double G);

}  // namespace grove
