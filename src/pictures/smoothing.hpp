// From sums in pixels to smooth pictures.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Spreads the mass in each pixel over as large a surrounding as it takes to have some particles there, and, where it is given, another sum
/// in the same way, so that their quotient is a mean over the same particles. Sharp where particles are dense, smooth where they are
/// sparse; all mass stays in the picture.
///
/// Goes over grids of half the size from fine to coarse: where a pixel and its neighbours have many particles, its mass stays on that grid;
/// where they have few, it goes to the next one. The grids are then added, each smooth by itself.
/// @param mass   in units of the mass of a typical particle; changed in place
/// @param other  of the same size, or null
void smooth(PixelGrid& mass, PixelGrid* other);

}  // namespace grove
