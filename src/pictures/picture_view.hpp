// The projection of space to the pixels of a picture.
#pragma once

#include <cstdint>

#include "kernels/space/vector.hpp"

namespace grove {

/// A picture seen from far away: positions are projected along one axis. Row 0 is at the top.
struct PictureView {
  Double3 centre, right, up;     ///< the place in the middle, code units, and the directions of both sides, of length 1
  double pixels_per_length = 1;  ///< code units
  std::uint32_t width = 0, height = 0;

  static constexpr std::uint32_t outside = 0xffffffff;

  std::size_t pixels() const { return std::size_t{width} * height; }
  /// Code units squared.
  double pixel_area() const { return 1 / (pixels_per_length * pixels_per_length); }

  /// The number of the pixel, row by row, in which `place` is, or `outside`.
  GROVE_HD std::uint32_t pixel_of(const Double3& place) const {
    const Double3 d = place - centre;
    const double x = 0.5 * width + dot(d, right) * pixels_per_length;
    const double y = 0.5 * height - dot(d, up) * pixels_per_length;
    // Written so that NaN is outside.
    if (!(x >= 0 && x < width && y >= 0 && y < height)) return outside;
    return static_cast<std::uint32_t>(y) * width + static_cast<std::uint32_t>(x);
  }
};

}  // namespace grove
