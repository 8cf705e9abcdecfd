// From sums in pixels to smooth pictures.
#pragma once

#include <cstddef>
#include <vector>

namespace grove {

/// Numbers on a grid of pixels, row by row.
struct PixelGrid {
  std::size_t width = 0, height = 0;
  std::vector<float> values{};  ///< [width * height]

  PixelGrid() = default;
  PixelGrid(std::size_t w, std::size_t h) : width(w), height(h), values(w * h, 0.0F) {}
  float& at(std::size_t x, std::size_t y) { return values[y * width + x]; }
  float at(std::size_t x, std::size_t y) const { return values[y * width + x]; }
};

/// Spreads the mass in each pixel over an area that is large enough to have some particles: sharp where particles are dense, smooth where
/// they are sparse; all mass stays in the picture. `other` is spread in the same way, so that the quotient is a mean over the same
/// particles.
///
/// From fine to coarse grids, each of half the size: the mass of a pixel stays on the grid where it and its neighbours have many particles;
/// else it goes to the next one. The grids are then added, each smooth by itself.
/// @param mass   in units of the mass of a typical particle; changed in place
/// @param other  of the same size, or null
void smooth(PixelGrid& mass, PixelGrid* other);

}  // namespace grove
