// Multipole moments about a cell's centre of mass, to second order: the dipole is zero there.
#pragma once

#include "kernels/vector.hpp"

namespace grove {

/// Second moments sum m d_i d_j of the particles' offsets d from the centre of mass, scaled as TreeScale says. Not traceless, so that
/// they serve softened kernels too.
struct alignas(8) CellMultipole {
  float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
};

/// The same in FP64, while it is summed.
struct SecondMoments {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  /// Adds a point of mass `m` at offset `d`.
  GROVE_HD void add(double m, const Double3& d) {
    xx += m * d.x * d.x;
    xy += m * d.x * d.y;
    xz += m * d.x * d.z;
    yy += m * d.y * d.y;
    yz += m * d.y * d.z;
    zz += m * d.z * d.z;
  }
  /// Adds moments about the same origin.
  GROVE_HD void add(const CellMultipole& q) {
    xx += q.xx;
    xy += q.xy;
    xz += q.xz;
    yy += q.yy;
    yz += q.yz;
    zz += q.zz;
  }
  GROVE_HD CellMultipole rounded() const {
    return {static_cast<float>(xx), static_cast<float>(xy), static_cast<float>(xz),
            static_cast<float>(yy), static_cast<float>(yz), static_cast<float>(zz)};
  }
};

}  // namespace grove
