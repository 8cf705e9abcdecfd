// What the section [pictures] of a configuration says.
#pragma once

#include <cstdint>
#include <string>

namespace grove {

/// Pictures of the particles, seen from far away along an axis. Numbers are in code units.
struct PictureParameters {
  static constexpr const char* none = "none";

  std::string show = none;       ///< none | density | speed | both
  double every = 0.0;            ///< time between pictures; 0: the first and the last state only
  std::string axes = "z";        ///< along which one looks, separated by commas
  std::string components;        ///< those that are shown, separated by commas; empty: all
  std::string centre = "mass";   ///< of the picture: mass | origin | "x, y, z"
  double field_of_view = 0.0;    ///< length that the width of the picture stands for; 0: it follows from the first state
  std::uint64_t width = 1024;    ///< pixels
  std::uint64_t height = 1024;   ///< pixels
  double lowest_density = 0.0;   ///< mass / length^2 at the dark end of the colours; 0: it follows from the first picture
  double highest_density = 0.0;  ///< the same at the bright end
  double highest_speed = 0.0;    ///< at the bright end; the dark end is 0. 0: it follows from the first picture
  std::string colours = "ember";

  bool are_wanted() const { return show != none; }
  bool show_density() const { return show == "density" || show == "both"; }
  bool show_speed() const { return show == "speed" || show == "both"; }
};

}  // namespace grove
