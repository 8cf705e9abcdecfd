// Which walks give the forces between all classes of softening. A walk may have several classes of targets, or of sources, if they are
// next to each other and all pairs have one length: where each pair has the larger of its two lengths, 2 k - 1 walks do for k classes.
#pragma once

#include <vector>

#include "kernels/gravity/softening_classes.hpp"

namespace grove {

/// A walk of the trees of `sources` for `targets`, whose pairs all have the same softening length.
struct ClassWalk {
  ClassRange targets, sources;

  /// Whether it is the first walk of its targets, which are then one class: that is among the sources of no other.
  bool is_first() const { return sources.has(targets.begin); }
};

/// Walks that cover each pair of classes once, in the order in which they must be made. `takes_walks`: [classes] of the targets.
std::vector<ClassWalk> class_walks(const SofteningClasses& classes, const std::vector<bool>& takes_walks);

}  // namespace grove
