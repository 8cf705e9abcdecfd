#include "src/pictures/smoothing.hpp"

#include <algorithm>
#include <cmath>

namespace grove {

namespace {

// Below the first number of particles around a pixel a grid says nothing, above the second it says all.
constexpr float few = 8, many = 40;

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

/// Mean over the pixel and its neighbours with the weights 1 2 1 in both directions; at the border, over those that there are.
float local_mean(const PixelGrid& grid, std::size_t x, std::size_t y) {
  float sum = 0, weights = 0;
  for (std::size_t v = y > 0 ? y - 1 : 0; v <= std::min(y + 1, grid.height - 1); ++v)
    for (std::size_t u = x > 0 ? x - 1 : 0; u <= std::min(x + 1, grid.width - 1); ++u) {
      const float weight = (u == x ? 2.0F : 1.0F) * (v == y ? 2.0F : 1.0F);
      sum += weight * grid.at(u, v);
      weights += weight;
    }
  return sum / weights;
}

/// How much a grid's own values count where it has so many particles around a pixel: 0 to 1, without a step.
float trust(float particles) {
  const float t = std::clamp((particles - few) / (many - few), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// A grid and that of half its size, already smooth, into one smooth grid.
void refine(const PixelGrid& mass, const PixelGrid* other, const PixelGrid& coarse_mass, const PixelGrid* coarse_other, PixelGrid& result,
            PixelGrid* other_result) {
#pragma omp parallel for schedule(static)
  for (std::size_t y = 0; y < mass.height; ++y)
    for (std::size_t x = 0; x < mass.width; ++x) {
      constexpr float pixels_around = 9;
      const float mean = local_mean(mass, x, y), own = trust(pixels_around * mean);
      result.at(x, y) = own * mean + (1 - own) * interpolated(coarse_mass, x, y);
      if (other) other_result->at(x, y) = own * local_mean(*other, x, y) + (1 - own) * interpolated(*coarse_other, x, y);
    }
}

}  // namespace

void smooth(PixelGrid& mass, PixelGrid* other) {
  if (mass.width <= 2 || mass.height <= 2) return;
  PixelGrid coarse_mass = coarser(mass), coarse_other = other ? coarser(*other) : PixelGrid();
  smooth(coarse_mass, other ? &coarse_other : nullptr);
  PixelGrid result(mass.width, mass.height), other_result = other ? PixelGrid(mass.width, mass.height) : PixelGrid();
  refine(mass, other, coarse_mass, other ? &coarse_other : nullptr, result, other ? &other_result : nullptr);
  mass = std::move(result);
  if (other) *other = std::move(other_result);
}

}  // namespace grove
