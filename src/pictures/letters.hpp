// Text as pixels: DejaVu Sans, whose file is part of the program, drawn by FreeType.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace grove {

/// How much of each pixel is covered, 0 to 255, row by row, the top row first.
struct Coverage {
  std::size_t width, height;
  std::vector<std::uint8_t> values;

  Coverage(std::size_t w, std::size_t h) : width(w), height(h), values(w * h) {}
  std::uint8_t& at(std::size_t x, std::size_t y) { return values[y * width + x]; }
  std::uint8_t at(std::size_t x, std::size_t y) const { return values[y * width + x]; }
};

/// One line of UTF-8 with a margin of `margin` pixels around it. `size` are the pixels of an em; capitals have three quarters of it. A
/// letter that the font lacks is drawn as its box. Throws SystemError where FreeType fails.
Coverage text_coverage(const std::string& text, std::size_t size, std::size_t margin);

/// Size of a line in pixels, without a margin.
std::size_t text_width(const std::string& text, std::size_t size);
std::size_t text_height(std::size_t size);

/// The coverage of a rim, `width` pixels wide, around what is covered and of itself.
Coverage rim_of(const Coverage& coverage, std::size_t width);

}  // namespace grove
