// Morton keys: 21 bits per dimension, interleaved, x highest. The order of the keys is the order of the octree's leaves.
#pragma once

#include <cstdint>

#include "kernels/space/vector.hpp"

namespace grove {

inline constexpr int key_bits_per_dimension = 21;
inline constexpr int key_bits = 3 * key_bits_per_dimension;
inline constexpr int deepest_level = key_bits_per_dimension;  ///< the root is level 0

/// The cube that the keys divide: its lowest corner and its edge, code units. A particle outside has the key of the nearest cell at the
/// surface. Forces stay correct, since the geometry of the tree comes from the particles; they are only slower for such particles.
struct KeyCube {
  Double3 corner;
  double edge = 1;
};

/// The lowest 21 bits of `v`, each after two zero bits.
GROVE_HD inline std::uint64_t spread_bits(std::uint64_t v) {
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffffULL;
  v = (v | v << 16) & 0x1f0000ff0000ffULL;
  v = (v | v << 8) & 0x100f00f00f00f00fULL;
  v = (v | v << 4) & 0x10c30c30c30c30c3ULL;
  return (v | v << 2) & 0x1249249249249249ULL;
}

/// Index of the key cell along one axis. `x` is the distance from the cube's corner, in units of its edge.
GROVE_HD inline std::uint64_t key_coordinate(double x) {
  constexpr double cells = 1 << key_bits_per_dimension;
  return static_cast<std::uint64_t>(smaller(larger(x * cells, 0.0), cells - 1));
}

GROVE_HD inline std::uint64_t morton_key(const Double4& position, const KeyCube& cube) {
  const double scale = 1 / cube.edge;
  return spread_bits(key_coordinate((position.x - cube.corner.x) * scale)) << 2 |
         spread_bits(key_coordinate((position.y - cube.corner.y) * scale)) << 1 |
         spread_bits(key_coordinate((position.z - cube.corner.z) * scale));
}

/// A key of an octree with a subtree for each class below its root: the class replaces the first level, and the subtrees have one level
/// less.
GROVE_HD inline std::uint64_t key_in_class(std::uint64_t key, std::uint32_t its_class) {
  return std::uint64_t{its_class} << (key_bits - 3) | key >> 3;
}
/// The smallest key without class that gives this key.
GROVE_HD inline std::uint64_t key_without_class(std::uint64_t key) { return (key << 3) & ((std::uint64_t{1} << key_bits) - 1); }

/// Number of key bits below those of the cell at `level`.
GROVE_HD inline int bits_below(int level) { return 3 * (deepest_level - level); }

/// Level of the deepest cell that holds both keys.
GROVE_HD inline int shared_level(std::uint64_t a, std::uint64_t b) {
  if (a == b) return deepest_level;
#if defined(__CUDA_ARCH__)
  const int highest_bit = 63 - __clzll(static_cast<long long>(a ^ b));
#else
  const int highest_bit = 63 - __builtin_clzll(a ^ b);
#endif
  return deepest_level - 1 - highest_bit / 3;
}

}  // namespace grove
