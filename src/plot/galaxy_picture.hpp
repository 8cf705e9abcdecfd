// A galaxy as a picture: rotation curve, densities, dispersions, Q.
#pragma once

#include <string>

#include "kernels/base/units.hpp"
#include "src/analysis/galaxy_check.hpp"

namespace grove {

/// Draws four panels with Python and matplotlib into the PNG file `out`: the circular velocity by component; densities; radial dispersions;
/// Q and height of discs. Lines are the model, points the particles with four sigma of their noise. Replaces a file of that name. Not
/// collective. Throws SystemError without Python or matplotlib, with the package to install, and when the file cannot be written.
void draw_galaxy(const CheckedGalaxy& galaxy, const UnitSystem& units, const std::string& out);

}  // namespace grove
