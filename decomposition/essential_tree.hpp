// Step 7 (docs/architecture.md), locally essential trees (Salmon 1990): for each other rank, the part of this rank's tree that its targets
// may need.
//
// Each rank publishes a few boxes around its targets. For every other rank, this rank's tree is walked from the root: a cell that the
// opening criterion accepts for all boxes of that rank is sent closed, without its contents. A leaf that it does not accept is sent with
// its particles; any other cell is sent with its children. Criteria are monotone, so the targets of the other rank never need to open a
// closed cell. The walk of `fmm`, too, may evaluate it at each target.
#pragma once

#include <span>
#include <vector>

#include "decomposition/communicator.hpp"
#include "decomposition/domain_boxes.hpp"
#include "kernels/gravity/gravity_law.hpp"

namespace grove {

/// The essential trees for all other ranks, one after the other in one set of arrays. Each has the layout of tree.hpp; its links count from
/// its own first cell and particle.
template <class Space>
class EssentialTrees {
 public:
  explicit EssentialTrees(Space& space)
      : links(space),
        geometry(space),
        multipole(space),
        particles(space),
        rank_(space),
        cell_(space),
        child_count_(space),
        child_begin_(space) {}

  /// Cuts the trees for the ranks with boxes[r].count > 0 other than `own_rank`. Synchronises once a level.
  void select(Space& space, const ScaledLaw& law, const Tree<Space>& tree, View<const Double4> tree_particles,
              std::span<const DomainBoxes> boxes, int own_rank);

  Buffer<Space, CellLinks> links;
  Buffer<Space, CellGeometry> geometry;
  Buffer<Space, float> multipole;
  Buffer<Space, Double4> particles;
  ExpansionForm form;                          ///< of the multipoles
  std::vector<std::uint64_t> cell_counts;      ///< [ranks] cells for each rank, in rank order
  std::vector<std::uint64_t> particle_counts;  ///< [ranks] particles for each rank

 private:
  void select_cells(Space& space, const ScaledLaw& law, const Tree<Space>& tree, View<const DomainBoxes> boxes,
                    std::span<const std::uint32_t> receivers);
  void count_by_rank(Space& space, std::size_t ranks);
  void write_trees(Space& space, const Tree<Space>& tree, View<const Double4> tree_particles);

  // Selected cells, level by level and by rank within a level.
  Buffer<Space, std::uint32_t> rank_;         ///< receiver
  Buffer<Space, std::uint32_t> cell_;         ///< cell of the own tree
  Buffer<Space, std::uint32_t> child_count_;  ///< children sent along
  Buffer<Space, std::uint32_t> child_begin_;  ///< entry of the first child
  std::vector<std::uint32_t> level_begin_;    ///< [levels + 1] entries of each level
  std::vector<std::uint32_t> segment_begin_;  ///< [levels * (ranks + 1)] entry where each rank's cells of a level begin
};

}  // namespace grove
