// What a rank tells all others about where its targets are.
#pragma once

#include "kernels/gravity/opening.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// What a rank tells all others about its targets: a few boxes that hold them all. None for a rank without particles.
struct DomainBoxes {
  static constexpr int capacity = 8;
  int count = 0;
  TargetBox box[capacity];
};

/// Boxes around the targets of this rank, from the upper cells of its tree: the largest box is divided until `capacity` is reached. Each
/// tells the smallest last acceleration in it. Synchronises.
template <class Space>
DomainBoxes make_domain_boxes(Space& space, const Tree<Space>& tree, const TreeScale& scale);

}  // namespace grove
