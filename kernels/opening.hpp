// Opening criteria: may this cell's multipole stand for its particles, for every target in this box?
//
// To add one: write a struct like those below and put it into OpeningCriteria. A criterion must be monotone: what it accepts for a box it
// accepts for every box inside that one, because essential trees are cut for boxes around many target groups.
#pragma once

#include <tuple>

#include "kernels/gravity_parameters.hpp"
#include "kernels/tree.hpp"

namespace grove {

/// Boxes of targets are made larger by this factor, so that rounding cannot put a target outside its box, at a distance from its own cell.
inline constexpr float target_margin = 1 + 2e-6F;

/// The targets of one acceptance test: their bounding box.
struct TargetBox {
  Double3 centre;      ///< code units
  float half_size[3];  ///< units of TreeScale::length, with target_margin
};

/// Distances between a cell and a target box, in units of TreeScale::length; 0 where they overlap.
struct Separation {
  float centre_of_mass2;  ///< squared distance of the cell's centre of mass from the target box
  float box2;             ///< squared distance between the bounding boxes of the cell's particles and of the targets
};

GROVE_HD inline float positive_part(float x) { return x > 0 ? x : 0; }

GROVE_HD inline Separation separation(const CellGeometry& cell, const TargetBox& target, double per_length) {
  const float d[3] = {static_cast<float>((cell.centre_of_mass.x - target.centre.x) * per_length),
                      static_cast<float>((cell.centre_of_mass.y - target.centre.y) * per_length),
                      static_cast<float>((cell.centre_of_mass.z - target.centre.z) * per_length)};
  Separation s{0, 0};
  for (int k = 0; k < 3; ++k) {
    const float com = positive_part(fabsf(d[k]) - target.half_size[k]);
    const float box = positive_part(fabsf(d[k] + cell.offset[k]) - target.half_size[k] - cell.half_size[k]);
    s.centre_of_mass2 += com * com;
    s.box2 += box * box;
  }
  return s;
}

/// Barnes & Hut 1986: d > l / theta, d from the targets to the cell's centre of mass, l the longest side of the box around its particles.
struct GeometricOpening {
  static constexpr const char* name = "geometric";
  float per_theta;
  explicit GeometricOpening(const GravityParameters& p) : per_theta(static_cast<float>(1 / p.theta)) {}

  GROVE_HD bool accepts(const CellGeometry& cell, const Separation& s) const {
    const float opening = cell.longest_side * per_theta;
    return s.centre_of_mass2 > opening * opening;
  }
};

/// Barnes 1994, as in Bedorf, Gaburov & Portegies Zwart 2012, eq. 3: d > l / theta + s, with s the distance between the
/// centre of the cell's box and its centre of mass.
struct BarnesOpening {
  static constexpr const char* name = "barnes";
  float per_theta;
  explicit BarnesOpening(const GravityParameters& p) : per_theta(static_cast<float>(1 / p.theta)) {}

  GROVE_HD bool accepts(const CellGeometry& cell, const Separation& s) const {
    const float opening = cell.longest_side * per_theta + cell.centre_distance;
    return s.centre_of_mass2 > opening * opening;
  }
};

/// Salmon & Warren 1994: d > l / theta, d from the targets to the nearest edge of the box around the cell's particles.
struct MinimalDistanceOpening {
  static constexpr const char* name = "minimal_distance";
  float per_theta;
  explicit MinimalDistanceOpening(const GravityParameters& p) : per_theta(static_cast<float>(1 / p.theta)) {}

  GROVE_HD bool accepts(const CellGeometry& cell, const Separation& s) const {
    const float opening = cell.longest_side * per_theta;
    return s.box2 > opening * opening;
  }
};

/// All criteria; their names are the allowed values of gravity.opening.
using OpeningCriteria = std::tuple<GeometricOpening, BarnesOpening, MinimalDistanceOpening>;

/// The test of the walk. Beyond the criterion itself, a cell that touches the targets is always opened, and so is one within `support`
/// (squared, scaled) of them: inside it the softened force is not that of the moments.
template <class Opening>
GROVE_HD bool accept(const Opening& opening, const CellGeometry& cell, const TargetBox& target, double per_length, float support2) {
  const Separation s = separation(cell, target, per_length);
  return s.box2 > support2 && opening.accepts(cell, s);
}

}  // namespace grove
