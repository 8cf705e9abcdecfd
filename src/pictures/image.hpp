// A picture in memory, with text drawn into it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/pictures/colour_map.hpp"
#include "src/pictures/letters.hpp"

namespace grove {

/// Pixels, row by row, the top row first. What is drawn beyond the border is dropped.
class Image {
 public:
  Image(std::size_t width, std::size_t height) : width_(width), height_(height), pixels_(width * height) {}

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  Colour& at(std::size_t x, std::size_t y) { return pixels_[y * width_ + x]; }
  const Colour& at(std::size_t x, std::size_t y) const { return pixels_[y * width_ + x]; }

  /// A filled rectangle with its upper left corner at (x, y).
  void fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Colour colour);
  /// A line of UTF-8 with a dark rim, in letters of `size` pixels. The upper left corner of its text_width() x text_height() is at (x, y).
  void write(std::size_t x, std::size_t y, const std::string& text, std::size_t size, Colour colour);

 private:
  void blend(std::size_t x, std::size_t y, const Coverage& coverage, std::size_t margin, Colour colour);

  std::size_t width_, height_;
  std::vector<Colour> pixels_;
};

}  // namespace grove
