// What external potentials add to a circular velocity.
#pragma once

#include <vector>

#include "kernels/space/vector.hpp"
#include "src/external/external_info.hpp"

namespace grove {

/// The square of the circular velocity at `radius` > 0 from `centre`: the radius times the mean pull towards the centre on the circle about
/// it at a right angle to the z axis, which is that of potentials that have one. Below zero where a potential beside the centre pulls
/// outwards. Code units.
double external_circular_velocity2(const std::vector<ExternalParameters>& sections, double G, const Double3& centre, double radius);

}  // namespace grove
