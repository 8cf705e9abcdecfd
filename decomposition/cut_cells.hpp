// Cells of which a domain border leaves each side a part.
//
// The particles of a whole cell fill a cube, more or less. Those that a border leaves on one rank fill an odd part of it, whose moments
// beyond the expansion are larger for its size, and opening criteria know the size alone. A border cuts one cell of every level. So it
// costs little to treat these cells as larger, and it keeps the errors of the potential near the border as small as elsewhere.
#pragma once

#include "decomposition/communicator.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// How much larger than they are opening criteria take cut cells to be; docs/performance.md has the measurement.
inline constexpr float cut_cell_factor = 1.25F;

/// The domain of a rank as its particles fill it.
struct KeyRange {
  std::uint64_t first = 0, last = 0;  ///< smallest and largest key; without meaning when there are no particles
  std::uint64_t count = 0;            ///< particles
};

/// The range of `keys` [particles], sorted. Synchronises.
template <class Space>
KeyRange key_range(Space& space, View<const std::uint64_t> keys);

/// Multiplies the longest side and the spread by cut_cell_factor for the cells of `tree` that have particles on other ranks, too. `mine` is
/// the range of the tree's particles; those of different ranks must not overlap. Needs compute_moments(). Collective; asynchronous on the
/// device.
template <class Space>
void enlarge_cut_cells(Space& space, const Communicator& comm, const KeyRange& mine, Tree<Space>& tree);

}  // namespace grove
