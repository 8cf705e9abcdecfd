// Which walks give the forces between all classes of softening. Pairs with the same softening length share a walk where their classes are
// next to each other: if each pair has the larger of its two lengths, 2 k - 1 walks do for k classes.
#pragma once

#include <vector>

#include "kernels/gravity/softening_classes.hpp"

namespace grove {

/// A walk of the trees of `sources` for `targets`, whose pairs all have the same softening length.
struct ClassWalk {
  ClassRange targets, sources;
  bool is_first;  ///< of its targets. They are one class, which is among the sources
};

/// Walks that cover each pair of classes once, in the order in which they must be made. `takes_walks`: [classes] of the targets.
std::vector<ClassWalk> class_walks(const SofteningClasses& classes, const std::vector<bool>& takes_walks);

}  // namespace grove
