// The pictures of one state, drawn and written.
#pragma once

#include <functional>
#include <string>

#include "kernels/base/units.hpp"
#include "src/pictures/picture_plan.hpp"
#include "src/pictures/picture_state.hpp"

namespace grove {

/// What is drawn beside the sums.
struct PictureSetting {
  const PicturePlan& plan;
  UnitSystem units;
  double time = 0;       ///< code units
  bool has_time = true;  ///< a file may not say its time
  std::string source;    ///< text in the files: which run or snapshot it is
  /// The name of a file.
  std::function<std::string(PictureQuantity, char axis)> path;
};

/// Draws all pictures of a state, whose sums are those of all ranks, and writes them. `range` is completed by the first of them. Not
/// collective. Throws SystemError that names the file.
void write_pictures(const PictureSetting& setting, const PictureState& state, PictureRange& range);

/// The words of the pictures of one view, in units that suit it.
PictureLabels picture_labels(const PictureSetting& setting, const PictureView& view);

}  // namespace grove
