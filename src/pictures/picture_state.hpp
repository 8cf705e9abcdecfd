// What the pictures of one state of a run, or of one snapshot, are drawn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// How many quanta there are in a unit of what is summed. Sums of integers are the same in any order, on any number of ranks.
struct PictureQuanta {
  double per_mass = 0;      ///< code units
  double per_momentum = 0;  ///< of m |v|; 0: it is not summed

  /// With these, no sum over all particles overflows.
  /// @param mass   of all particles
  /// @param speed  at least the largest of all; 0: speeds are not summed
  static PictureQuanta of(double mass, double speed);
};

/// The mass of particles by their distance from a place, in bins of 3 % of the distance.
inline constexpr std::size_t distance_bins = std::size_t{1} << 15;
/// The upper 16 bits of a squared distance are the number of its bin: sign, exponent and four bits of the mantissa.
inline constexpr int distance_bits_dropped = 48;

/// The same on all ranks, except the sums: these are of this rank until the root adds all ranks.
struct PictureState {
  std::vector<PictureView> views;  ///< one for each axis of the plan
  PictureQuanta quanta;
  double particle_mass = 0;         ///< the mean of those that are shown, code units
  std::span<std::uint64_t> sums{};  ///< [views][mass, and momentum where speeds are shown][pixels] quanta

  /// The sums of mass or momentum of one view; of momentum nothing where it was not summed.
  std::span<const std::uint64_t> mass_of(std::size_t view) const { return part(view, 0); }
  std::span<const std::uint64_t> momentum_of(std::size_t view) const;

 private:
  std::span<const std::uint64_t> part(std::size_t view, std::size_t which) const;
};

/// Four times the distance from the middle that has 60 % of the mass inside, in round numbers: a view of a whole galaxy, or of two that
/// meet. 1 where there is no mass, or all of it is in one place; infinite where distances are beyond the range of numbers.
/// @param mass  [distance_bins] quanta
double field_of_view_for(std::span<const std::uint64_t> mass);

}  // namespace grove
