// The geometry of cells in SIMD vectors against that of each cell.
#include "kernels/gravity/cell_lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace grove {
namespace {

constexpr int width = FloatVector::width;

float lane_of(FloatVector v, int l) {
  alignas(FloatVector::alignment) float lane[width];
  v.store(lane);
  return lane[l];
}

TEST(CellLanes, HaveEveryMemberOfTheCells) {
  CellGeometry cell[40];
  for (int i = 0; i < 40; ++i) {
    CellGeometry& c = cell[i];
    float next = static_cast<float>(100 * i);
    c.centre_of_mass = {1e6 + i / 3.0, -i / 7.0, i * i / 11.0};
    for (float* member : {&c.mass, &c.radius, &c.half_size[0], &c.half_size[1], &c.half_size[2], &c.offset[0], &c.offset[1], &c.offset[2],
                          &c.longest_side, &c.spread})
      *member = next++;
  }
  std::uint32_t chosen[width];
  for (int l = 0; l < width; ++l) chosen[l] = static_cast<std::uint32_t>((7 * l + 3) % 40);
  const Double3 centre{1e6 + 0.3, -2.5, 17};
  const double per_length = 0.125;
  const CellLanes lanes(cell, chosen, centre, per_length);
  for (int l = 0; l < width; ++l) {
    const CellGeometry& c = cell[chosen[l]];
    EXPECT_EQ(lane_of(lanes.x, l), static_cast<float>((c.centre_of_mass.x - centre.x) * per_length));
    EXPECT_EQ(lane_of(lanes.y, l), static_cast<float>((c.centre_of_mass.y - centre.y) * per_length));
    EXPECT_EQ(lane_of(lanes.z, l), static_cast<float>((c.centre_of_mass.z - centre.z) * per_length));
    EXPECT_EQ(lane_of(lanes.mass, l), c.mass);
    EXPECT_EQ(lane_of(lanes.radius, l), c.radius);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(lane_of(lanes.half_size[k], l), c.half_size[k]);
      EXPECT_EQ(lane_of(lanes.offset[k], l), c.offset[k]);
    }
    EXPECT_EQ(lane_of(lanes.longest_side, l), c.longest_side);
    EXPECT_EQ(lane_of(lanes.spread, l), c.spread);
  }
}

TEST(CellLanes, HaveUnitsOfExpansionsAsOneCellHas) {
  for (const float radius : {0.0F, 1e-38F, 1e-30F, 2e-30F, 0.75F, 1.0F, 3.9F, 1e30F})
    EXPECT_EQ(lane_of(expansion_unit(FloatVector(radius)), width - 1), expansion_unit(radius)) << radius;
}

}  // namespace
}  // namespace grove
