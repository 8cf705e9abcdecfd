// Letters for pictures, so that labels look the same on every machine and need no file.
#pragma once

#include <cstddef>

namespace grove {

/// A letter as a grid of points that are set or not.
struct Glyph {
  static constexpr std::size_t width = 5, height = 9;  ///< with the two rows below the line on which letters stand
  static constexpr std::size_t line = 7;               ///< rows above that line

  char letter;
  const char* rows;  ///< '#' for points that are set, a blank between rows; rows at the end that are missing are empty

  bool is_set(std::size_t x, std::size_t y) const;
};

/// The glyph of a letter of ASCII; that of '?' for one that is not there.
const Glyph& glyph_of(char letter);

}  // namespace grove
