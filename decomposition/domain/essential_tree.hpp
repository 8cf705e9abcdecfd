// Step 7 (docs/development/overview.md), locally essential trees (Salmon 1990): for each other rank, the part of this rank's tree that its
// targets may need.
//
// Each rank publishes boxes around its targets. For every other rank, this rank's tree is walked from the root. A cell that the opening
// criterion accepts for all boxes of that rank is sent closed, without its contents; any other leaf is sent with its particles, and any
// other cell with its children. Criteria are monotone, so the targets of the other rank never need to open a closed cell. The walk of
// `fmm` may evaluate such a cell at each target. Children are tested only for boxes for which their parent was not accepted.
#pragma once

#include <span>
#include <vector>

#include "decomposition/domain/domain_exchange.hpp"
#include "decomposition/domain/packed_trees.hpp"
#include "kernels/gravity/gravity_law.hpp"

namespace grove {

struct TreeReceivers;

/// The essential trees for all other ranks, in rank order, as messages. Links count from the first cell and particle of each tree. With
/// several classes of softening, a rank gets a tree of each class, one after the other.
///
/// select() decides which cells are sent, open or closed; write() copies these as they now are. While a tree is reused its cells keep their
/// particles, so that a selection can be written again in later steps.
template <class Space>
class EssentialTrees {
 public:
  explicit EssentialTrees(Space& space)
      : key_(space), children_(space), particle_offset_(space), tree_begin_(space), device_layout_(space) {}

  /// Selects the trees for all ranks with boxes. Synchronises once; more often in the first steps of a run and where trees grow fast.
  void select(Space& space, const ScaledLaw& law, const Tree<Space>& tree, const BoxesOfRanks& boxes);
  /// Bytes of the messages for all ranks.
  std::size_t bytes() const;
  /// Writes the selected trees to `messages` [bytes()]. `tree` has the cells of select(). Asynchronous.
  void write(Space& space, const Tree<Space>& tree, View<const Double4> tree_particles, View<std::byte> messages) const;
  /// The selection: for each selected cell, in order, a bit that is set if it is sent closed. Synchronises.
  std::vector<std::uint64_t> closed_cells(Space& space) const;
  /// Selects as closed_cells() says, for the same tree and the same ranks with boxes. Throws DataError if it has too few bits.
  /// Synchronises.
  void select(Space& space, const Tree<Space>& tree, const BoxesOfRanks& boxes, const std::vector<std::uint64_t>& closed_cells);

  ExpansionForm form;  ///< of the multipoles
  int class_count = 1;
  std::vector<std::uint64_t> cell_counts;      ///< [ranks][classes] cells of each tree
  std::vector<std::uint64_t> particle_counts;  ///< [ranks][classes] particles of each tree
  std::vector<PackedTree> layout;              ///< [ranks][classes] where each tree is in the messages

 private:
  TreeReceivers begin_selection(const Tree<Space>& tree, const BoxesOfRanks& boxes);
  void resize_entries(std::size_t selected);
  void lay_out(Space& space, const TreeReceivers& receivers, std::span<const std::uint32_t> begins);

  // The selected cells, sorted by receiver and level.
  Buffer<Space, std::uint64_t> key_;              ///< see EntryKeys
  Buffer<Space, std::uint32_t> children_;         ///< number of children that are sent, or closed_cell
  Buffer<Space, std::uint32_t> particle_offset_;  ///< [cells] particles sent before each
  Buffer<Space, std::uint32_t> tree_begin_;       ///< [2][trees + 1] the first cell and the first particle of each tree
  Buffer<Space, PackedTree> device_layout_;       ///< [trees]
  std::size_t capacity_ = 0;                      ///< room for selected cells
  std::vector<std::uint32_t> expected_on_level_;  ///< cells selected on each level in the last call
};

}  // namespace grove
