#include "src/config/picture_settings.hpp"

#include "src/pictures/colour_map.hpp"

namespace grove {

void add_picture_settings(std::vector<ConfigSetting>& rows) {
  const auto add = rows_of(rows, &Config::pictures, "pictures");
  using Pictures = PictureParameters;
  const std::vector<std::string> with_speed{"speed", "both"}, with_any{"density", "speed", "both"};
  const Condition wants_any{"show", with_any}, wants_speed{"show", with_speed};
  add(&Pictures::show, "show",
      "what the colours show: density, the mass in each pixel over its area; speed, the mean speed of the mass in it; both; or none: "
      "there are no pictures",
      {.allowed = {Pictures::none, "density", "speed", "both"}});
  add(&Pictures::every, "every", "time between pictures, not below time.dt; 0: the first and the last state only",
      {.range = not_negative, .dimension = Dimension::time}, wants_any);
  add(&Pictures::axes, "axes", "along which one looks, a picture each: one or more of x, y, z with commas between them", {}, wants_any);
  add(&Pictures::components, "components", "those that are shown, with commas between them: \"disc, bulge\"; not given: all", {},
      wants_any);
  add(&Pictures::centre, "centre",
      "the middle of the pictures: mass, the centre of mass of what is shown; origin; or three numbers: \"1.5, 0, -2\"", {}, wants_any);
  add(&Pictures::field_of_view, "field_of_view",
      "length that the width of a picture stands for; 0: four times the distance from the middle that has 60 % of the mass inside at the "
      "start, in round numbers",
      {.range = not_negative, .dimension = Dimension::length}, wants_any);
  add(&Pictures::width, "width", "pixels", {.range = {16.0, 16384.0}}, wants_any);
  add(&Pictures::height, "height", "pixels", {.range = {16.0, 16384.0}}, wants_any);
  add(&Pictures::lowest_density, "lowest_density",
      "mass / length^2 in code units at the dark end of the colours; 0: 4.5 decades below the bright end", {.range = not_negative},
      wants_any);
  add(&Pictures::highest_density, "highest_density", "the same at the bright end; 0: the highest density of the first picture",
      {.range = not_negative}, wants_any);
  add(&Pictures::highest_speed, "highest_speed", "speed at the bright end; 0: the highest mean speed in the first picture",
      {.range = not_negative, .dimension = Dimension::velocity}, wants_speed);
  add(&Pictures::colours, "colours", "from dark to bright", {.allowed = colour_map_names()}, wants_any);
}

}  // namespace grove
