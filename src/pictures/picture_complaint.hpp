// Whether what the section [pictures] says makes sense.
#pragma once

#include <optional>
#include <string>

#include "kernels/space/vector.hpp"
#include "src/pictures/picture_parameters.hpp"

namespace grove {

/// A key of [pictures] whose value makes no sense, and what it must be.
struct PictureComplaint {
  std::string key, must;
};
/// Of what is smaller or larger, areas are beyond the range of numbers. Code units.
inline constexpr double smallest_field_of_view = 1e-100, largest_field_of_view = 1e100;

std::optional<PictureComplaint> complaint_about(const PictureParameters& parameters);

/// Three numbers with commas between them, of a size up to largest_field_of_view; nothing for any other text.
std::optional<Double3> read_place(const std::string& text);

}  // namespace grove
