// Whole numbers for sums, so that they are the same in any order, on any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace grove {

/// How many quanta there are in a unit of what is summed.
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
/// The distance at the upper end of a bin, code units.
double distance_of_bin(std::size_t bin);

}  // namespace grove
