// A picture in memory, with text drawn into it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/pictures/colour_map.hpp"

namespace grove {

/// A letter as a grid of points that are set or not. Labels need no font file and look the same on every machine.
struct Glyph {
  static constexpr std::size_t width = 5, height = 9;  ///< with the two rows below the baseline

  char letter;
  const char* rows;  ///< '#' for points that are set, a blank between rows; missing rows at the end are empty

  bool is_set(std::size_t x, std::size_t y) const;
};

/// The glyph of an ASCII letter; that of '?' for a letter that has none.
const Glyph& glyph_of(char letter);

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
  /// ASCII `text` with a dark rim, its upper left corner at (x, y); each point of a letter is `size` pixels wide and high.
  void write(std::size_t x, std::size_t y, const std::string& text, std::size_t size, Colour colour);

  /// Size of a text in pixels.
  static std::size_t text_width(const std::string& text, std::size_t size);
  static std::size_t text_height(std::size_t size);

 private:
  void stamp(std::size_t x, std::size_t y, const std::string& text, std::size_t size, std::size_t rim, Colour colour);

  std::size_t width_, height_;
  std::vector<Colour> pixels_;
};

}  // namespace grove
