// Cells that a domain border cuts: each side has a part of their particles.
//
// The particles of a whole cell fill a cube, more or less. The particles of a cut cell fill only an irregular part of it. For its size,
// such a part has larger moments beyond the order of the expansion, but opening criteria look at the size alone. Therefore cut cells are
// treated as larger than they are. This keeps the errors of the potential near the border as small as elsewhere. It costs little, since a
// border cuts one cell of every level.
//
// In the walk of `fmm`, opening angles look at the longest side for the few cells alone that act on each target. If such a cell is opened,
// its children go into a local expansion, with errors that are no smaller: there the longest side stays as it is.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tree/tree.hpp"

namespace grove {

/// Factor by which cut cells are larger for opening criteria than they are; docs/measurements.md has the measurement.
inline constexpr float cut_cell_factor = 1.25F;

/// The range of keys that the particles of a rank have.
struct KeyRange {
  std::uint64_t first = 0, last = 0;  ///< smallest and largest key; without meaning when there are no particles
  std::uint64_t count = 0;            ///< particles
};

/// Multiplies the spread and, where multipoles are of order 2, the longest side by cut_cell_factor, for the cells of `tree` that have
/// particles on other ranks, too. `ranges` [ranks] are those of the particles of each rank, which must not overlap; entry `own` is that of
/// the tree. Needs compute_moments(). Asynchronous on the device.
template <class Space>
void enlarge_cut_cells(Space& space, std::span<const KeyRange> ranges, std::size_t own, Tree<Space>& tree);

}  // namespace grove
