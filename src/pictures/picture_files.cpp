#include "src/pictures/picture_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "kernels/base/physical_constants.hpp"
#include "kernels/base/units.hpp"
#include "src/pictures/png_file.hpp"

namespace grove {

PictureLabels picture_labels(const PictureSetting& setting, const PictureView& view) {
  const UnitSystem& units = setting.units;
  PictureLabels labels;
  if (setting.has_time) labels.time = "t = " + format_time(setting.time, units);
  labels.shown = fmt::format("{}", fmt::join(setting.plan.components, ", "));
  if (!is_physical(units)) return labels;
  const ShownUnit length = unit_of_length(view.width / view.pixels_per_length, units);
  labels.length_unit = length.name;
  labels.length_unit_in_code = length.in_code_units;
  labels.density_unit = "Msun/pc^2";
  labels.density_in_unit = units.mass_in_g / solar_mass_in_g * std::pow(parsec_in_cm / units.length_in_cm, 2);
  labels.speed_unit = "km/s";
  labels.speed_in_unit = units.velocity_in_cm_per_s / 1e5;
  return labels;
}

void write_pictures(const PictureSetting& setting, const PictureState& state, PictureRange& range) {
  const PicturePlan& plan = setting.plan;
  const ColourMap colours(plan.parameters.colours);
  for (std::size_t view = 0; view < state.views.size(); ++view) {
    const PictureFields fields = picture_fields(state.views[view], state.mass_of(view), state.momentum_of(view), state.quanta.per_mass,
                                                state.quanta.per_momentum, state.particle_mass);
    range = completed(range, fields);
    const PictureLabels labels = picture_labels(setting, state.views[view]);
    for (const PictureQuantity quantity : plan.quantities) {
      const PngTexts texts{{"Title", fmt::format("{} along {}, {}", name_of(quantity), plan.axes[view], labels.time)},
                           {"Source", setting.source}};
      write_png(setting.path(quantity, plan.axes[view]), draw_picture(quantity, state.views[view], fields, range, labels, colours), texts);
    }
  }
}

}  // namespace grove
