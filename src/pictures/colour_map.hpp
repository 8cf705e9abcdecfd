// Colours for numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace grove {

/// Red, green and blue of sRGB.
struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

/// The names of the maps.
std::vector<std::string> colour_map_names();

/// Colours from dark to bright. Lightness is linear in Oklab (Ottosson 2020): equal differences of the number look equal, also to readers
/// who do not see all colours, and in print without colour.
class ColourMap {
 public:
  /// Throws std::logic_error for a name that is none.
  explicit ColourMap(const std::string& name);

  /// `t` from 0, dark, to 1, bright; what is beyond has the colour of the end. NaN is dark.
  Colour operator()(double t) const;

 private:
  static constexpr std::size_t steps = 1024;
  std::array<Colour, steps> colours_;
};

}  // namespace grove
