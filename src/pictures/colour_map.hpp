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

/// Colours from dark to bright. Equal differences of the number are equal differences of lightness to the eye: lightness is linear in Oklab
/// (Ottosson 2020), so that the map also serves readers who do not see all colours, and print without colour.
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

/// Lightness of a colour in Oklab, 0 to 1.
double oklab_lightness(Colour colour);

}  // namespace grove
