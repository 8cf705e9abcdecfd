// From sums in pixels to a picture with scale and labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/pictures/image.hpp"
#include "src/pictures/picture_view.hpp"
#include "src/pictures/smoothing.hpp"

namespace grove {

/// What the colours of a picture stand for.
enum class PictureQuantity : std::uint8_t { density, speed };
/// "density", "speed".
std::string name_of(PictureQuantity quantity);

/// Surface density in each pixel and, if requested, the mean speed weighted by mass, in units that fit FP32 for any units of a run.
struct PictureFields {
  PixelGrid density, speed;
  double density_unit = 0, speed_unit = 0;  ///< code units
};

/// Converts sums over all ranks to smooth()ed numbers on a grid.
/// @param mass           [pixels of the view] quanta
/// @param momentum       [pixels of the view] quanta, or empty
/// @param particle_mass  that of a typical particle, > 0, code units
PictureFields picture_fields(const PictureView& view, std::span<const std::uint64_t> mass, std::span<const std::uint64_t> momentum,
                             double per_mass, double per_momentum, double particle_mass);

/// The numbers at the ends of the colours, code units. 0: not known yet.
struct PictureRange {
  double lowest_density = 0, highest_density = 0, highest_speed = 0;

  /// Whether no picture will change it.
  bool is_complete(bool shows_speed) const { return lowest_density > 0 && highest_density > 0 && (highest_speed > 0 || !shows_speed); }
};

/// Sets what is 0 in `range` from a picture, in round numbers: its brightest pixel, and four and a half decades of density below.
PictureRange completed(PictureRange range, const PictureFields& fields);

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

/// The picture: colours, a bar of a round length, a bar of the colours, the time.
Image draw_picture(PictureQuantity quantity, const PictureView& view, const PictureFields& fields, const PictureRange& range,
                   const PictureLabels& labels, const ColourMap& colours);

/// The largest of 1, 2, 5 times a power of ten that is not above `number` > 0.
double round_down_to_125(double number);

}  // namespace grove
