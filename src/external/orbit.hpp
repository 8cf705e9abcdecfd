// The path of a potential that moves.
#pragma once

#include <string>
#include <vector>

#include "kernels/space/vector.hpp"

namespace grove {

/// Where something is at a time, code units.
struct OrbitPoint {
  double time = 0;
  Double3 place, velocity;
};

/// A cubic between each two points, with their places and velocities.
class Orbit {
 public:
  /// Always at the origin, unless points follow.
  Orbit() = default;
  /// The cubic spline through two or more points, whose velocities are found here. Its ends have the velocities of the cubics through the
  /// first and the last four points. `name` is that of the points in messages. Throws ConfigError unless times increase.
  Orbit(std::vector<OrbitPoint> points, std::string name);

  /// A point after the others, with its velocity.
  void append(const OrbitPoint& point) { points_.push_back(point); }

  bool moves() const { return !points_.empty(); }
  /// Beyond the first and the last point, their cubics continue: steps may leave the times of a run by a part of their length.
  Double3 at(double time) const;
  /// Throws ConfigError where the points do not span these times.
  void require_times(double begin, double end) const;

 private:
  std::vector<OrbitPoint> points_;
  std::string name_;
};

}  // namespace grove
