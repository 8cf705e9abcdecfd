#include "src/pictures/picture_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/space/error.hpp"
#include "src/pictures/picture_complaint.hpp"
#include "src/text/text_parts.hpp"

namespace grove {

PicturePlan::PicturePlan(const PictureParameters& given) : components(parts_between_commas(given.components)), parameters(given) {
  if (given.show_density()) quantities.push_back(PictureQuantity::density);
  if (given.show_speed()) quantities.push_back(PictureQuantity::speed);
  for (const std::string& axis : parts_between_commas(given.axes)) axes.push_back(axis.at(0));
  if (given.centre == "mass") return;
  centre = PictureCentre::place;
  place = read_place(given.centre).value_or(Double3{});
}

bool PicturePlan::shows_speed() const { return parameters.show_speed(); }

PictureRange PicturePlan::range() const { return {parameters.lowest_density, parameters.highest_density, parameters.highest_speed}; }

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
      throw ConfigError(
          fmt::format("pictures.components: there is no component called \"{}\"; the particles have {}", name, fmt::join(present, ", ")));
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

}  // namespace grove
