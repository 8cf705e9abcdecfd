#include "src/pictures/image.hpp"

#include <algorithm>
#include <cstdint>

namespace grove {

namespace {

constexpr Colour rim_colour{0, 0, 0};
// A rim is this part of a letter's size wide.
constexpr std::size_t letters_of_rims = 12;

std::uint8_t mixed(std::uint8_t below, std::uint8_t above, std::uint8_t coverage) {
  return static_cast<std::uint8_t>((below * (255 - coverage) + above * coverage + 127) / 255);
}

}  // namespace

void Image::fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Colour colour) {
  for (std::size_t v = y; v < std::min(y + height, height_); ++v)
    for (std::size_t u = x; u < std::min(x + width, width_); ++u) at(u, v) = colour;
}

void Image::write(std::size_t x, std::size_t y, const std::string& text, std::size_t size, Colour colour) {
  // Room for the rim, and for letters that reach over the width of the text, as j.
  const std::size_t rim = std::max<std::size_t>(size / letters_of_rims, 1), margin = 2 * rim + 1;
  const Coverage letters = text_coverage(text, size, margin);
  blend(x, y, rim_of(letters, rim), margin, rim_colour);
  blend(x, y, letters, margin, colour);
}

/// (x, y) is the place of what has `margin` around it.
void Image::blend(std::size_t x, std::size_t y, const Coverage& coverage, std::size_t margin, Colour colour) {
  for (std::size_t v = 0; v < coverage.height; ++v)
    for (std::size_t u = 0; u < coverage.width; ++u) {
      // Left of the border and above it, these are larger than any size.
      const std::size_t column = x + u - margin, row = y + v - margin;
      if (column >= width_ || row >= height_) continue;
      const std::uint8_t covered = coverage.at(u, v);
      Colour& here = at(column, row);
      here = {mixed(here.red, colour.red, covered), mixed(here.green, colour.green, covered), mixed(here.blue, colour.blue, covered)};
    }
}

}  // namespace grove
