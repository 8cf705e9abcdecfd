// From sums in pixels to pictures with scale and labels, and to their files.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/base/units.hpp"
#include "src/pictures/image.hpp"
#include "src/pictures/picture_plan.hpp"
#include "src/pictures/smoothing.hpp"

namespace grove {

/// Surface density in each pixel and, if requested, the mean speed weighted by mass, in units that fit FP32 for any units of a run.
struct PictureFields {
  PixelGrid density, speed;
  double density_unit = 0, speed_unit = 0;  ///< code units
};

/// The sums over all ranks of one view as smooth()ed numbers on a grid.
PictureFields picture_fields(const PictureState& state, std::size_t view);

/// Sets what is 0 in `range` from a picture, in round numbers: its brightest pixel, and four and a half decades of density below.
PictureRange completed(PictureRange range, const PictureFields& fields);

/// What pictures show beside the sums.
struct PictureSetting {
  const PicturePlan& plan;
  UnitSystem units;
  std::optional<double> time;  ///< code units; a file may not say its time
  std::string source;          ///< text in the files: which run or snapshot it is
  /// The name of a file.
  std::function<std::string(PictureQuantity, char axis)> path;
};

/// The words of a picture.
struct PictureLabels {
  std::string time;         ///< "t = 1.5 Gyr"
  std::string shown;        ///< what the picture shows, beside the time; may be empty
  std::string length_unit;  ///< "kpc", or empty
  double length_unit_in_code = 1;
  std::string density_unit;  ///< of numbers times density_in_unit; or empty
  double density_in_unit = 1;
  std::string speed_unit;
  double speed_in_unit = 1;
};

/// The words of the pictures of one view, in units that suit it.
PictureLabels picture_labels(const PictureSetting& setting, const PictureView& view);

/// The picture: colours, a bar of a round length, a bar of the colours, the time.
Image draw_picture(PictureQuantity quantity, const PictureView& view, const PictureFields& fields, const PictureRange& range,
                   const PictureLabels& labels, const ColourMap& colours);

/// Draws all pictures of a state, whose sums are those of all ranks, and writes them. `range` is completed by the first of them. Not
/// collective. Throws SystemError that names the file.
void write_pictures(const PictureSetting& setting, const PictureState& state, PictureRange& range);

/// The largest of 1, 2, 5 times a power of ten that is not above `number` > 0.
double round_down_to_125(double number);

}  // namespace grove
