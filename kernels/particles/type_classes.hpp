// Classes of particle types. Each class has its own octree: see key_in_class().
#pragma once

#include <cstdint>

namespace grove {

/// The number of children of an octree's root.
inline constexpr int most_type_classes = 8;

/// The class of each particle type, for loop bodies.
struct ClassOfType {
  std::uint8_t of[most_type_classes] = {};  ///< [types]
};

/// The classes [begin, end).
struct ClassRange {
  int begin = 0, end = 0;

  int count() const { return end - begin; }
  bool has(int its_class) const { return begin <= its_class && its_class < end; }
};

}  // namespace grove
