// The boxes around a rank's targets, which it tells all other ranks.
#pragma once

#include "kernels/gravity/opening.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// A few boxes that hold all targets of a rank. A rank without particles has none.
struct DomainBoxes {
  static constexpr int capacity = 8;
  int count = 0;
  TargetBox box[capacity];
};

/// Boxes around the targets of this rank, from the upper cells of its tree: the largest box is divided until `capacity` is reached. Each
/// box has the smallest last acceleration of its targets. Synchronises.
template <class Space>
DomainBoxes make_domain_boxes(Space& space, const Tree<Space>& tree, const TreeScale& scale);

}  // namespace grove
