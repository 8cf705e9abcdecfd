// Cells of which a domain border leaves each side a part.
//
// A cell's particles fill a cube, more or less; those that a border leaves on one rank fill an odd part of one, with edges and notches,
// whose third moments, which the expansion lacks, are larger beside its size. Opening criteria know the size alone. A border cuts one cell
// of every level, so that it costs little to open these later than others; left as they are, they double the errors of the potential at
// the places that see the largest of them.
#pragma once

#include "decomposition/communicator.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// How much larger cut cells are made out to be. On 2 and 4 ranks, 99 % of the errors of the potential of a Plummer sphere (N = 131072,
/// theta 0.4 and 0.75) grow by 16 to 25 % with 1; they fall by 1 to 6 % with 1.25, by 1 to 10 % with 1.5.
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
