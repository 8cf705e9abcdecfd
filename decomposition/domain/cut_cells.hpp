// Cells that a domain border cuts: each side has a part of their particles.
//
// Such a part fills an irregular piece of the cell's cube. For its size, it has larger moments beyond the order of the expansion, but
// opening criteria look at the size alone. Therefore cut cells are treated as larger than they are: errors of the potential near the border
// then stay as small as elsewhere. This costs little, since a border cuts one cell of every level.
//
// In the walk of `fmm`, opening angles use the longest side only for the few cells that act on each target directly. The children of such a
// cell would go into a local expansion, whose errors are no smaller. There the longest side is not changed.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tree/tree.hpp"

namespace grove {

/// Factor by which cut cells are enlarged for opening criteria (docs/development/constants.md).
inline constexpr float cut_cell_factor = 1.25F;

/// The range of the keys of a rank's particles.
struct KeyRange {
  std::uint64_t first = 0, last = 0;  ///< smallest and largest key; undefined without particles
  std::uint64_t count = 0;            ///< particles
};

/// Multiplies the spread and, for multipoles of order 2, the longest side by cut_cell_factor, for cells of `tree` that also have particles
/// on other ranks. `ranges` [ranks]: the keys of each rank, which must not overlap; `own`: the rank of the tree. Call compute_moments()
/// before. Asynchronous.
template <class Space>
void enlarge_cut_cells(Space& space, std::span<const KeyRange> ranges, std::size_t own, Tree<Space>& tree);

}  // namespace grove
