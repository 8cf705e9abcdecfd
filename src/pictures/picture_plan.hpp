// What the user wants to see, checked.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/particles/particle_set.hpp"
#include "src/pictures/picture.hpp"
#include "src/pictures/picture_parameters.hpp"

namespace grove {

/// Where the middle of a picture is.
enum class PictureCentre : std::uint8_t { mass, place };

/// The pictures of one state: each quantity along each axis.
struct PicturePlan {
  std::vector<PictureQuantity> quantities;
  std::vector<char> axes;               ///< x, y, z
  std::vector<std::string> components;  ///< names; empty: all
  PictureCentre centre = PictureCentre::mass;
  Double3 place;  ///< the middle where it is a place, code units
  PictureParameters parameters;

  explicit PicturePlan(const PictureParameters& parameters);
  bool shows_speed() const;
  /// What is known of the range before there is a picture.
  PictureRange range() const;
};

/// The types of the components that a plan shows. Throws ConfigError that names those that the particles do not have.
/// @param count  [types], over all ranks
std::uint32_t shown_types(const PicturePlan& plan, const ComponentNames& names,
                          const std::array<std::uint64_t, particle_type_count>& count);

/// Looks along an axis: along z with x to the right and y up, along x with y to the right and z up, along y with x to the right and z up.
/// @param field_of_view  length that the width stands for, code units, > 0
PictureView view_along(char axis, const Double3& centre, double field_of_view, const PictureParameters& parameters);

}  // namespace grove
