#include "src/pictures/picture_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>

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

std::span<const std::uint64_t> PictureState::momentum_of(std::size_t view) const {
  return sums.size() > views.size() * views[view].pixels() ? part(view, 1) : std::span<const std::uint64_t>{};
}

std::span<const std::uint64_t> PictureState::part(std::size_t view, std::size_t which) const {
  const std::size_t pixels = views[view].pixels(), parts = sums.size() / (views.size() * pixels);
  return sums.subspan((view * parts + which) * pixels, pixels);
}

double field_of_view_for(std::span<const std::uint64_t> mass) {
  constexpr double share = 0.6, times = 4;
  const double wanted = share * static_cast<double>(std::accumulate(mass.begin(), mass.end(), std::uint64_t{0}));
  double inside = 0;
  std::size_t bin = 0;
  for (; bin + 1 < mass.size(); ++bin) {
    inside += static_cast<double>(mass[bin]);
    if (inside >= wanted) break;
  }
  // Of the upper end of the bin.
  const double distance = std::sqrt(std::bit_cast<double>((std::uint64_t{bin} + 1) << distance_bits_dropped)), view = times * distance;
  // Particles at the middle alone have the distance 0, in the first bin.
  if (!(wanted > 0) || bin == 0) return 1;
  if (!std::isfinite(view)) return view;
  const double unit = std::pow(10.0, std::floor(std::log10(view)));
  constexpr double steps[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
  return unit * *std::find_if(std::begin(steps), std::end(steps) - 1, [&](double step) { return step * unit >= view; });
}

}  // namespace grove
