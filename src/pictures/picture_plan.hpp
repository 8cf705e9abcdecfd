// What the user wants to see, checked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/particles/particle_set.hpp"
#include "src/pictures/picture_parameters.hpp"
#include "src/pictures/picture_state.hpp"

namespace grove {

/// A key of [pictures] whose value makes no sense, and what it must be.
struct PictureComplaint {
  std::string key, must;
};
/// Beyond these, areas are beyond the range of numbers. Code units.
inline constexpr double smallest_field_of_view = 1e-100, largest_field_of_view = 1e100;

std::optional<PictureComplaint> complaint_about(const PictureParameters& parameters);

/// Throws DataError for a field of view that is larger than a picture can show.
void require_visible(double field_of_view);

/// What the colours of a picture stand for.
enum class PictureQuantity : std::uint8_t { density, speed };
/// "density", "speed".
std::string name_of(PictureQuantity quantity);

/// The numbers at the ends of the colours, code units. 0: not known yet.
struct PictureRange {
  double lowest_density = 0, highest_density = 0, highest_speed = 0;

  /// Whether no picture will change it.
  bool is_complete(bool shows_speed) const { return lowest_density > 0 && highest_density > 0 && (highest_speed > 0 || !shows_speed); }
};

/// The pictures of one state: each quantity along each axis.
struct PicturePlan {
  std::vector<PictureQuantity> quantities;
  std::vector<char> axes;               ///< x, y, z
  std::vector<std::string> components;  ///< names; empty: all
  std::optional<Double3> place;         ///< the middle, code units; empty: the centre of mass
  PictureParameters parameters;

  explicit PicturePlan(const PictureParameters& parameters);
  bool shows_speed() const { return parameters.show_speed(); }
  /// What is known of the range before the first picture.
  PictureRange range() const { return {parameters.lowest_density, parameters.highest_density, parameters.highest_speed}; }
};

/// The types of the components that a plan shows. Throws ConfigError that names those that the particles do not have.
/// @param count  [types], over all ranks
std::uint32_t shown_types(const PicturePlan& plan, const ComponentNames& names,
                          const std::array<std::uint64_t, particle_type_count>& count);

/// Looks along an axis: along z with x to the right and y up, along x with y to the right and z up, along y with x to the right and z up.
/// @param field_of_view  length that the width stands for, code units, > 0
PictureView view_along(char axis, const Double3& centre, double field_of_view, const PictureParameters& parameters);

}  // namespace grove
