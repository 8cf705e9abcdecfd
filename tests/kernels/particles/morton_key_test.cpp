// Morton keys: the order of the octree.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/particles/morton_key.hpp"

namespace grove {
namespace {

constexpr KeyCube unit{{0, 0, 0}, 1};
constexpr std::uint64_t largest = (std::uint64_t{1} << key_bits) - 1;

/// Bit by bit, as the definition says.
std::uint64_t slow_key(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  std::uint64_t key = 0;
  for (int b = key_bits_per_dimension - 1; b >= 0; --b) key = key << 3 | (x >> b & 1) << 2 | (y >> b & 1) << 1 | (z >> b & 1);
  return key;
}

TEST(MortonKey, NamesTheEightOctantsWithXHighest) {
  for (std::uint64_t o = 0; o < 8; ++o) {
    const Double4 p{o & 4 ? 0.75 : 0.25, o & 2 ? 0.75 : 0.25, o & 1 ? 0.75 : 0.25, 1};
    EXPECT_EQ(morton_key(p, unit) >> bits_below(1), o);
  }
}

TEST(MortonKey, InterleavesTheBitsOfTheCoordinates) {
  std::mt19937_64 random(1);
  const KeyCube cube{{-3, 5, 1e3}, 64};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t c[3] = {random() >> 43, random() >> 43, random() >> 43};
    const double cell = cube.edge / (1 << key_bits_per_dimension);
    const Double4 p{cube.corner.x + (static_cast<double>(c[0]) + 0.5) * cell, cube.corner.y + (static_cast<double>(c[1]) + 0.5) * cell,
                    cube.corner.z + (static_cast<double>(c[2]) + 0.5) * cell, 0};
    ASSERT_EQ(morton_key(p, cube), slow_key(c[0], c[1], c[2]));
  }
}

TEST(MortonKey, OfThePointsOnTheCubesSurfaceAndOutsideIsThatOfTheNearestCell) {
  EXPECT_EQ(morton_key({0, 0, 0, 1}, unit), 0u);
  EXPECT_EQ(morton_key({1, 1, 1, 1}, unit), largest);
  EXPECT_EQ(morton_key({-1e30, -1, -0.0, 1}, unit), 0u);
  EXPECT_EQ(morton_key({1e300, 7, 1 + 1e-9, 1}, unit), largest);
  EXPECT_EQ(morton_key({1e9, 0, 0, 1}, unit), slow_key((1 << 21) - 1, 0, 0));
}

TEST(MortonKey, FallsIntoTheSameCubeInAnyUnits) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> inside(0, 1);
  for (const double scale : {1e-30, 1e-3, 1e21}) {
    const Double4 p{inside(random), inside(random), inside(random), 1};
    const Double4 q{p.x * scale, p.y * scale, p.z * scale, 1};
    // The last bit may differ by rounding, the cell of a thousandth may not.
    EXPECT_EQ(morton_key(q, {{0, 0, 0}, scale}) >> bits_below(10), morton_key(p, unit) >> bits_below(10));
  }
}

}  // namespace
}  // namespace grove
