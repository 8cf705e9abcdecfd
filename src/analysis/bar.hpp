// The m = 2 part of a disc, which is its bar: strength, phase, pattern speed.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/space/vector.hpp"
#include "src/analysis/groups.hpp"
#include "src/analysis/shells.hpp"

namespace grove {

/// A2 = |sum m exp(2 i phi)| / sum m, from the means of rings (DiscQuantity). 0: round; 1: all on one line through the centre.
double a2_of(const Moments& mean);
/// Half the phase of that sum: where the bar points, degrees from 0 to 180; NaN without a bar.
double a2_phase_of(const Moments& mean);

/// The bar of a component. Its strength is A2 of all particles inside a radius, as Dubinski, Berentzen & Shlosman (2009, ApJ 697, 293)
/// measure it, at the radius that makes it largest or at one that is given, as theirs. The maximum over rings, which is in use, too, is
/// that of the noise in sparse rings. Everything is NaN where no ring says it.
struct Bar {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double a2 = unknown;
  double noise = unknown;          ///< rms A2 of as many particles of equal mass without any bar, 1 / sqrt(number)
  double radius = unknown;         ///< code units
  double phase = unknown;          ///< degrees, as a2_phase_of()
  double rotation = unknown;       ///< mean angular velocity of the particles in the ring that ends there, radians per unit of time
  double pattern_speed = unknown;  ///< of the bar, since the snapshot before in a series; radians per unit of time

  /// False where A2 may come from the noise, and the phase means nothing.
  bool is_significant() const { return a2 > 3 * noise; }
};

/// Of the outer edges of the shells inside of which is at least 1 % of the group's particles, that with the largest A2; if `radius` is
/// given, the one nearest to it.
Bar bar_of(const GroupMoments& moments, const std::vector<double>& edges, const Group& group, const std::optional<double>& radius = {});

/// The directions in which phases are counted: from x_axis, about `axis`; unit vectors.
struct DiscPlane {
  Double3 axis, x_axis;
};
/// The x axis projected onto the plane at a right angle to `axis`; within 18 degrees of the x axis, the y axis. So the phases of a disc
/// whose axis moves a little stay nearly the same.
DiscPlane plane_of(const Double3& axis);

/// By how much a bar has turned, degrees from -90 to 90: a phase is known up to a multiple of 180. The planes may differ a little.
double turn_of_bar(const Bar& before, const DiscPlane& plane_before, const Bar& after, const DiscPlane& plane_after);

}  // namespace grove
