#include "src/pictures/picture_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/space/error.hpp"
#include "src/pictures/picture_complaint.hpp"

namespace grove {

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
  const double view = times * distance_of_bin(bin);
  // Particles at the middle alone have the distance 0, in the first bin.
  if (!(wanted > 0) || bin == 0) return 1;
  if (!std::isfinite(view)) return view;
  const double unit = std::pow(10.0, std::floor(std::log10(view)));
  constexpr double steps[] = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
  return unit * *std::find_if(std::begin(steps), std::end(steps) - 1, [&](double step) { return step * unit >= view; });
}

void require_visible(double field_of_view) {
  if (field_of_view <= largest_field_of_view) return;
  throw DataError(fmt::format("the particles are too far apart for a picture of them all: give pictures.field_of_view, of {:.0e} at most",
                              largest_field_of_view));
}

}  // namespace grove
