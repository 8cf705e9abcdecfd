#include "src/pictures/smoothing.hpp"

#include <algorithm>

namespace grove {

namespace {

// With fewer particles than `few` around a pixel, all of its mass goes to a coarser grid; with more than `many`, none.
constexpr float few = 6, many = 24;

std::size_t half(std::size_t n) { return (n + 1) / 2; }

PixelGrid coarser(const PixelGrid& fine) {
  PixelGrid coarse(half(fine.width), half(fine.height));
#pragma omp parallel for schedule(static)
  for (std::size_t y = 0; y < coarse.height; ++y)
    for (std::size_t x = 0; x < coarse.width; ++x)
      for (std::size_t v = 2 * y; v < std::min(2 * y + 2, fine.height); ++v)
        for (std::size_t u = 2 * x; u < std::min(2 * x + 2, fine.width); ++u) coarse.at(x, y) += fine.at(u, v);
  return coarse;
}

/// The weights of the two neighbours of pixel `i` of a fine grid in the grid of half the size, for a quarter of the value.
struct Neighbours {
  std::size_t near, far;
  Neighbours(std::size_t i, std::size_t n) : near(i / 2), far(i % 2 == 0 ? (near > 0 ? near - 1 : 0) : std::min(near + 1, n - 1)) {}
  static constexpr float of_near = 0.75F, of_far = 0.25F;
};

/// The share of a pixel of the fine grid in the coarse one, between whose pixels it changes linearly.
float interpolated(const PixelGrid& coarse, std::size_t x, std::size_t y) {
  const Neighbours u(x, coarse.width), v(y, coarse.height);
  const auto row = [&](std::size_t at) { return Neighbours::of_near * coarse.at(u.near, at) + Neighbours::of_far * coarse.at(u.far, at); };
  return 0.25F * (Neighbours::of_near * row(v.near) + Neighbours::of_far * row(v.far));
}

/// The values spread over each pixel and its neighbours with the weights 1 2 1 in both directions.
float spread(const PixelGrid& grid, std::size_t x, std::size_t y) {
  const auto clamped = [](std::size_t i, int step, std::size_t n) {
    return step < 0 ? (i > 0 ? i - 1 : 0) : std::min(i + static_cast<std::size_t>(step), n - 1);
  };
  float sum = 0;
  for (const int v : {-1, 0, 1})
    for (const int u : {-1, 0, 1}) {
      const float weight = (u == 0 ? 0.5F : 0.25F) * (v == 0 ? 0.5F : 0.25F);
      // Beyond the border is the pixel at the border once more, so that all mass stays.
      sum += weight * grid.at(clamped(x, u, grid.width), clamped(y, v, grid.height));
    }
  return sum;
}

/// The share of the mass of a pixel that stays on a grid with so many particles around it: smooth from 0 to 1.
float share_that_stays(float particles) {
  const float t = std::clamp((particles - few) / (many - few), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// Splits `rest` by the particles of `all` into what stays, in place, and what goes to the coarser grid; `other_rest` may be null.
void split(const PixelGrid& all, PixelGrid& rest, PixelGrid& goes_on, PixelGrid* other_rest, PixelGrid* other_goes_on) {
#pragma omp parallel for schedule(static)
  for (std::size_t y = 0; y < all.height; ++y)
    for (std::size_t x = 0; x < all.width; ++x) {
      constexpr float pixels_around = 9;
      const float stays = share_that_stays(pixels_around * spread(all, x, y));
      goes_on.at(x, y) = (1 - stays) * rest.at(x, y);
      rest.at(x, y) *= stays;
      if (!other_rest) continue;
      other_goes_on->at(x, y) = (1 - stays) * other_rest->at(x, y);
      other_rest->at(x, y) *= stays;
    }
}

/// What stays, spread, and the grid of half the size.
PixelGrid together(const PixelGrid& stays, const PixelGrid& coarse) {
  PixelGrid result(stays.width, stays.height);
#pragma omp parallel for schedule(static)
  for (std::size_t y = 0; y < result.height; ++y)
    for (std::size_t x = 0; x < result.width; ++x) result.at(x, y) = spread(stays, x, y) + interpolated(coarse, x, y);
  return result;
}

/// Smooths `rest`, what finer grids have passed on of `all`.
void smooth_rest(const PixelGrid& all, PixelGrid& rest, PixelGrid* other_rest) {
  if (all.width <= 2 || all.height <= 2) return;
  PixelGrid goes_on(all.width, all.height), other_goes_on = other_rest ? goes_on : PixelGrid();
  split(all, rest, goes_on, other_rest, &other_goes_on);
  PixelGrid coarse = coarser(goes_on), other_coarse = other_rest ? coarser(other_goes_on) : PixelGrid();
  smooth_rest(coarser(all), coarse, other_rest ? &other_coarse : nullptr);
  rest = together(rest, coarse);
  if (other_rest) *other_rest = together(*other_rest, other_coarse);
}

}  // namespace

void smooth(PixelGrid& mass, PixelGrid* other) {
  const PixelGrid all = mass;
  smooth_rest(all, mass, other);
}

}  // namespace grove
