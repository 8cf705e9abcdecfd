// Classes of particle types. Each class has an octree of its own: see key_in_class().
#pragma once

#include <cstdint>

namespace grove {

/// As many as an octree's root has children.
inline constexpr int most_type_classes = 8;

/// The class of each particle type, for loop bodies.
struct ClassOfType {
  std::uint8_t of[most_type_classes] = {};  ///< [types]
};

}  // namespace grove
