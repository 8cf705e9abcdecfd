#include "src/pictures/picture_quanta.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace grove {

PictureQuanta PictureQuanta::of(double mass, double speed) {
  // The scale is a power of two that follows from the sum of all masses, whose last bits depend on the number of ranks. The factor keeps
  // sums that are common (1, 10, powers of two) away from the values at which the scale doubles.
  constexpr double margin = 1.37;
  constexpr int bits = 62;
  const auto scale_for = [](double largest) {
    int exponent = 0;
    std::frexp(margin * largest, &exponent);
    return largest > 0 && std::isfinite(largest) ? std::ldexp(1.0, std::min(bits - exponent, 1000)) : 0.0;
  };
  return {scale_for(mass), speed > 0 ? scale_for(mass * speed) : 0};
}

double distance_of_bin(std::size_t bin) { return std::sqrt(std::bit_cast<double>((std::uint64_t{bin} + 1) << distance_bits_dropped)); }

}  // namespace grove
