// Profiles of snapshots as a picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kernels/base/units.hpp"

namespace grove {

/// Draws what `grove profile` has measured, in the form of its JSON, with Python and matplotlib into the new PNG file `out`: circular
/// velocity or, with rings, rotation; densities; dispersions; and Lagrangian radii or, with rings, the bar. Of a series the first and the
/// last profiles, and the last panel over time. Not collective. Throws SystemError without Python or matplotlib, with the package to
/// install, and when the file cannot be written.
void draw_profiles(nlohmann::ordered_json profiles, const UnitSystem& units, const std::string& out);

}  // namespace grove
