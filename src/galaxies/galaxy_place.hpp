// Where a galaxy is, and how its discs are turned.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

#include "src/galaxies/galaxy_parameters.hpp"

namespace grove {

/// Numbers of place_settings(). Discs are turned by the inclination about the x axis and then by the node about the z axis. Code units.
struct GalaxyPlace {
  double position[3], velocity[3];

  explicit GalaxyPlace(const GalaxyParameters& galaxy) {
    constexpr double degree = std::numbers::pi / 180;
    for (std::size_t d = 0; d < 3; ++d) {
      position[d] = galaxy.number(place_keys[d]);
      velocity[d] = galaxy.number(place_keys[3 + d]);
    }
    const double inclination = degree * galaxy.number("inclination"), node = degree * galaxy.number("node");
    cos_i_ = std::cos(inclination);
    sin_i_ = std::sin(inclination);
    cos_node_ = std::cos(node);
    sin_node_ = std::sin(node);
  }

  /// A vector about the centre from the frame in which discs lie in the xy plane into space, and back.
  void turn(double (&v)[3]) const {
    const double y = cos_i_ * v[1] - sin_i_ * v[2], z = sin_i_ * v[1] + cos_i_ * v[2];
    const double x = cos_node_ * v[0] - sin_node_ * y;
    v[1] = sin_node_ * v[0] + cos_node_ * y;
    v[0] = x;
    v[2] = z;
  }
  void turn_back(double (&v)[3]) const {
    const double x = cos_node_ * v[0] + sin_node_ * v[1], y = cos_node_ * v[1] - sin_node_ * v[0];
    v[0] = x;
    v[1] = cos_i_ * y + sin_i_ * v[2];
    v[2] = cos_i_ * v[2] - sin_i_ * y;
  }

 private:
  double cos_i_, sin_i_, cos_node_, sin_node_;
};

}  // namespace grove
