#include "src/pictures/picture_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/parse_number.hpp"
#include "kernels/base/setting.hpp"
#include "kernels/base/text_parts.hpp"

namespace grove {

namespace {

bool are_axes(const std::vector<std::string>& parts) {
  const auto is_axis = [&](const std::string& part) {
    return (part == "x" || part == "y" || part == "z") && std::count(parts.begin(), parts.end(), part) == 1;
  };
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), is_axis);
}

/// Three numbers with commas between them, of a size up to largest_field_of_view; nothing for any other text.
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

}  // namespace

std::string name_of(PictureQuantity quantity) { return quantity == PictureQuantity::density ? "density" : "speed"; }

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

PicturePlan::PicturePlan(const PictureParameters& given) : components(parts_between_commas(given.components)), parameters(given) {
  if (given.show_density()) quantities.push_back(PictureQuantity::density);
  if (given.show_speed()) quantities.push_back(PictureQuantity::speed);
  for (const std::string& axis : parts_between_commas(given.axes)) axes.push_back(axis.at(0));
  if (given.centre != "mass") place = read_place(given.centre).value_or(Double3{});
}

std::uint32_t shown_types(const PicturePlan& plan, const ComponentNames& names,
                          const std::array<std::uint64_t, particle_type_count>& count) {
  std::vector<std::string> present;
  std::uint32_t all = 0, mask = 0;
  for (std::size_t type = 0; type < count.size(); ++type) {
    all |= 1U << type;
    if (count[type] == 0) continue;
    present.push_back(names[type]);
    if (std::count(plan.components.begin(), plan.components.end(), names[type]) > 0) mask |= 1U << type;
  }
  for (const std::string& name : plan.components)
    if (std::count(present.begin(), present.end(), name) == 0)
      throw ConfigError(fmt::format("pictures.components: there is no component called \"{}\"; the particles have {}{}", name,
                                    fmt::join(present, ", "), suggestion(name, present)));
  return plan.components.empty() ? all : mask;
}

PictureView view_along(char axis, const Double3& centre, double field_of_view, const PictureParameters& parameters) {
  constexpr Double3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  PictureView view;
  view.centre = centre;
  view.right = axis == 'x' ? y : x;
  view.up = axis == 'z' ? y : z;
  view.width = static_cast<std::uint32_t>(parameters.width);
  view.height = static_cast<std::uint32_t>(parameters.height);
  view.pixels_per_length = static_cast<double>(parameters.width) / field_of_view;
  return view;
}

void require_visible(double field_of_view) {
  if (field_of_view <= largest_field_of_view) return;
  throw DataError(fmt::format("the particles are too far apart for a picture of them all: give pictures.field_of_view, of {:.0e} at most",
                              largest_field_of_view));
}

}  // namespace grove
