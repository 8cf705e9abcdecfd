// Curves on logarithmic axes as an SVG file.
#pragma once

#include <string>
#include <vector>

namespace grove {

/// A point of a curve. Points that are not positive and finite have no place on logarithmic axes and are omitted.
struct CurvePoint {
  double x = 0, y = 0;
  std::string note;  ///< shown by browsers when the pointer rests on it
};

struct Curve {
  std::string name;  ///< in the legend
  std::vector<CurvePoint> points;
};

/// A picture with both axes logarithmic, a legend, and a colour and a marker for each curve. All texts are plain.
struct CurvePicture {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;

  /// The picture as a complete SVG document.
  std::string svg() const;
};

}  // namespace grove
