#include "src/pictures/picture_complaint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "src/text/parse_number.hpp"
#include "src/text/text_parts.hpp"

namespace grove {

namespace {

bool are_axes(const std::vector<std::string>& parts) {
  const auto is_axis = [&](const std::string& part) {
    return (part == "x" || part == "y" || part == "z") && std::count(parts.begin(), parts.end(), part) == 1;
  };
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), is_axis);
}

}  // namespace

std::optional<PictureComplaint> complaint_about(const PictureParameters& given) {
  if (!are_axes(parts_between_commas(given.axes)))
    return PictureComplaint{"axes", "must be one or more of x, y, z, each once, with commas"};
  if (given.centre != "mass" && given.centre != "origin" && !read_place(given.centre))
    return PictureComplaint{"centre", "must be mass, origin, or three numbers with commas between them: \"1.5, 0, -2\""};
  const std::vector<std::string> components = parts_between_commas(given.components);
  if (std::count(components.begin(), components.end(), "") > 0)
    return PictureComplaint{"components", "must be names with commas between them: \"disc, bulge\""};
  const double view = given.field_of_view;
  if (view != 0 && !(view >= smallest_field_of_view && view <= largest_field_of_view))
    return PictureComplaint{"field_of_view",
                            fmt::format("must be 0, or from {:.0e} to {:.0e}", smallest_field_of_view, largest_field_of_view)};
  if (given.lowest_density > 0 && given.highest_density > 0 && !(given.lowest_density < given.highest_density))
    return PictureComplaint{"lowest_density", fmt::format("must be below highest_density = {}", given.highest_density)};
  return std::nullopt;
}

std::optional<Double3> read_place(const std::string& text) {
  std::array<double, 3> numbers{};
  const std::vector<std::string> parts = parts_between_commas(text);
  if (parts.size() != numbers.size()) return std::nullopt;
  for (std::size_t d = 0; d < numbers.size(); ++d) {
    const std::optional<double> number = parse_number<double>(parts[d]);
    if (!number || !(std::abs(*number) <= largest_field_of_view)) return std::nullopt;
    numbers[d] = *number;
  }
  return Double3{numbers[0], numbers[1], numbers[2]};
}

}  // namespace grove
