// The boxes around a rank's targets, by which other ranks know what to send it.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/cut_cells.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// Number of boxes of a coarse description, at most.
inline constexpr std::uint32_t coarse_box_capacity = 8;

/// Where a rank's particles are. Each box has the smallest last acceleration of its targets.
struct DomainDescription {
  KeyRange keys;
  std::vector<TargetBox> coarse;  ///< a few boxes that hold all targets; none for a rank without particles
  std::vector<TargetBox> fine;    ///< the same with some hundred boxes, in Morton order
};

/// The boxes are cells of the rank's tree, with about the same number of particles; the coarse ones are joined from them,
/// such that they end at borders of the largest cells: boxes of neighbours then hardly overlap. `end_keys`: the
/// smallest and the largest key of the particles in `cube`; empty without particles. `position` [particles], in the order of the tree.
/// Needs compute_moments(). Synchronises.
template <class Space>
DomainDescription describe_domain(Space& space, const Tree<Space>& tree, View<const std::uint64_t> end_keys, View<const Double4> position,
                                  const KeyCube& cube, const TreeScale& scale);

}  // namespace grove
