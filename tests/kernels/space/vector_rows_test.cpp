// Rows of SIMD vectors: transposed and summed.
#include "kernels/space/vector_rows.hpp"

#include <gtest/gtest.h>

namespace grove {
namespace {

constexpr int width = FloatVector::width;

/// A matrix in which every number is another one.
void fill(FloatVector (&row)[width]) {
  for (int i = 0; i < width; ++i) {
    alignas(FloatVector::alignment) float lane[width];
    for (int j = 0; j < width; ++j) lane[j] = static_cast<float>(100 * i + j);
    row[i] = FloatVector::load(lane);
  }
}

TEST(VectorRows, LanesBecomeRows) {
  FloatVector row[width];
  fill(row);
  transpose(row);
  for (int i = 0; i < width; ++i) {
    alignas(FloatVector::alignment) float lane[width];
    row[i].store(lane);
    for (int j = 0; j < width; ++j) EXPECT_EQ(lane[j], static_cast<float>(100 * j + i)) << i << " " << j;
  }
}

TEST(VectorRows, EachLaneOfTheSumsHasItsRow) {
  FloatVector row[width];
  fill(row);
  alignas(FloatVector::alignment) float sum[width];
  sums_of(row).store(sum);
  for (int i = 0; i < width; ++i) EXPECT_EQ(sum[i], static_cast<float>(100 * i * width + width * (width - 1) / 2)) << i;
}

}  // namespace
}  // namespace grove
