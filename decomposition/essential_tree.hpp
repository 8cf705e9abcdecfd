// Step 7 (docs/architecture.md), locally essential trees (Salmon 1990): for each other rank, the part of this rank's tree that its targets
// may need.
//
// Each rank publishes boxes around its targets. For every other rank, this rank's tree is walked from the root: a cell that the opening
// criterion accepts for all boxes of that rank is sent closed, without its contents. A leaf that it does not accept is sent with its
// particles; any other cell is sent with its children. Criteria are monotone, so the targets of the other rank never need to open a closed
// cell. The walk of `fmm`, too, may evaluate it at each target. Targets in boxes for which a cell is accepted never look at what it
// contains, so that its children are tested for the other boxes only.
#pragma once

#include <vector>

#include "decomposition/domain_exchange.hpp"
#include "kernels/gravity/gravity_law.hpp"

namespace grove {

/// The essential trees for all other ranks, one after the other in one set of arrays. Each has the layout of tree.hpp; its links count from
/// its own first cell and particle. With several classes of softening, a rank gets a tree of each: those for a rank lie side by side.
template <class Space>
class EssentialTrees {
 public:
  explicit EssentialTrees(Space& space) : links(space), geometry(space), multipole(space), particles(space) {}

  /// Cuts the trees for all ranks with boxes. Synchronises once, and again in the first steps of a run and where trees grow fast.
  void select(Space& space, const ScaledLaw& law, const Tree<Space>& tree, View<const Double4> tree_particles, const BoxesOfRanks& boxes);

  /// Gives the memory back.
  void release() {
    links.release();
    geometry.release();
    multipole.release();
    particles.release();
  }

  Buffer<Space, CellLinks> links;
  Buffer<Space, CellGeometry> geometry;
  Buffer<Space, float> multipole;
  Buffer<Space, Double4> particles;
  ExpansionForm form;  ///< of the multipoles
  int class_count = 1;
  std::vector<std::uint64_t> cell_counts;      ///< [ranks][classes] cells for each rank, in rank order
  std::vector<std::uint64_t> particle_counts;  ///< [ranks][classes] particles for each rank

 private:
  std::size_t capacity_ = 0;                      ///< selected cells for which there is room
  std::vector<std::uint32_t> expected_on_level_;  ///< selected cells of each level in the last call
};

}  // namespace grove
