// The geometry of several cells in SIMD vectors, for the opening criteria on the CPU.
#pragma once

#include <cstdint>

#include "kernels/gravity/cell.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/space/vector_rows.hpp"

namespace grove {

/// As CellGeometry, with one cell in each lane.
struct CellLanes {
  FloatVector x, y, z;  ///< centre of mass from the targets' centre, in units of TreeScale::length
  FloatVector mass, radius;
  FloatVector half_size[3], offset[3];
  FloatVector longest_side, spread;

  CellOffset<FloatVector> place() const { return {x, y, z}; }

  /// Lane l gets geometry[cell[l]], relative to the targets' `centre` [code units].
  CellLanes(const CellGeometry* geometry, const std::uint32_t (&cell)[FloatVector::width], const Double3& centre, double per_length) {
    constexpr int width = FloatVector::width, floats = sizeof(CellGeometry) / sizeof(float);
    alignas(FloatVector::alignment) float place[3][width];
    for (int l = 0; l < width; ++l) {
      const Double3& at = geometry[cell[l]].centre_of_mass;
      place[0][l] = static_cast<float>((at.x - centre.x) * per_length);
      place[1][l] = static_cast<float>((at.y - centre.y) * per_length);
      place[2][l] = static_cast<float>((at.z - centre.z) * per_length);
    }
    x = FloatVector::load(place[0]);
    y = FloatVector::load(place[1]);
    z = FloatVector::load(place[2]);
    FloatVector member[floats];
    for (int first = 0; first < floats; first += width) {
      FloatVector row[width];
      for (int l = 0; l < width; ++l) row[l] = FloatVector::load(reinterpret_cast<const float*>(geometry + cell[l]) + first);
      transpose(row);
      for (int k = 0; k < width; ++k) member[first + k] = row[k];
    }
    // Members of CellGeometry counted in floats: the first three numbers are doubles and take six.
    mass = member[6];
    radius = member[7];
    for (int k = 0; k < 3; ++k) {
      half_size[k] = member[8 + k];
      offset[k] = member[11 + k];
    }
    longest_side = member[14];
    spread = member[15];
  }
};

/// expansion_unit() of a float, in each lane.
inline FloatVector expansion_unit(FloatVector radius) {
  alignas(FloatVector::alignment) float lane[FloatVector::width];
  radius.store(lane);
  for (float& l : lane) l = expansion_unit(l);
  return FloatVector::load(lane);
}

static_assert(sizeof(CellGeometry) == 16 * sizeof(float), "CellLanes knows where its members are");

}  // namespace grove
