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

/// Mass in each pixel with as much detail as there are particles for, and, where it is given, another sum treated in the same way, so that
/// their quotient is a mean over the same particles.
///
/// Works from coarse to fine over grids of half the size: where a grid has many particles around a pixel, it takes that grid's values,
/// where it has few, it keeps those of the coarser one. Sharp where particles are dense, smooth where they are sparse.
/// @param mass   in units of the mass of a typical particle; changed in place
/// @param other  of the same size, or null
void smooth(PixelGrid& mass, PixelGrid* other);

}  // namespace grove
