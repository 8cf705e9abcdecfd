// A picture in memory, and what is drawn into it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/pictures/colour_map.hpp"

namespace grove {

/// Pixels, row by row, the top row first. What is drawn beyond the border is left out.
class Image {
 public:
  Image(std::size_t width, std::size_t height) : width_(width), height_(height), pixels_(width * height) {}

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  Colour& at(std::size_t x, std::size_t y) { return pixels_[y * width_ + x]; }
  const Colour& at(std::size_t x, std::size_t y) const { return pixels_[y * width_ + x]; }

  /// A full rectangle with its upper left corner at (x, y).
  void fill(std::size_t x, std::size_t y, std::size_t width, std::size_t height, Colour colour);
  /// `text`, ASCII, with the upper left corner of its first letter at (x, y); each point of a letter is `size` pixels wide and high. It has
  /// a dark rim, so that it can be read on any ground.
  void write(std::size_t x, std::size_t y, const std::string& text, std::size_t size, Colour colour);

  /// Pixels that a text takes.
  static std::size_t text_width(const std::string& text, std::size_t size);
  static std::size_t text_height(std::size_t size);

 private:
  void stamp(std::size_t x, std::size_t y, const std::string& text, std::size_t size, std::size_t rim, Colour colour);

  std::size_t width_, height_;
  std::vector<Colour> pixels_;
};

}  // namespace grove
