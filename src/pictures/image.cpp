#include "src/pictures/image.hpp"

#include <algorithm>

#include "src/pictures/font.hpp"

namespace grove {

namespace {
constexpr std::size_t letter_step = Glyph::width + 1;
constexpr Colour rim_colour{0, 0, 0};
}  // namespace

void Image::fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Colour colour) {
  for (std::size_t v = y; v < std::min(y + height, height_); ++v)
    for (std::size_t u = x; u < std::min(x + width, width_); ++u) at(u, v) = colour;
}

void Image::write(std::size_t x, std::size_t y, const std::string& text, std::size_t size, Colour colour) {
  stamp(x, y, text, size, std::max<std::size_t>(size / 2, 1), rim_colour);
  stamp(x, y, text, size, 0, colour);
}

/// Each point is wider by `rim` pixels on all sides.
void Image::stamp(std::size_t x, std::size_t y, const std::string& text, std::size_t size, std::size_t rim, Colour colour) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const Glyph& glyph = glyph_of(text[k]);
    for (std::size_t v = 0; v < Glyph::height; ++v)
      for (std::size_t u = 0; u < Glyph::width; ++u) {
        if (!glyph.is_set(u, v)) continue;
        const std::size_t left = x + (k * letter_step + u) * size, top = y + v * size;
        fill(left - std::min(left, rim), top - std::min(top, rim), size + 2 * rim, size + 2 * rim, colour);
      }
  }
}

std::size_t Image::text_width(const std::string& text, std::size_t size) {
  return text.empty() ? 0 : (text.size() * letter_step - 1) * size;
}

std::size_t Image::text_height(std::size_t size) { return Glyph::height * size; }

}  // namespace grove
