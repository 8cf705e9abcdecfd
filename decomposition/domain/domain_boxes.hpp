// Boxes around the targets of a rank, from which other ranks find what to send it.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/domain/cut_cells.hpp"
#include "kernels/gravity/opening.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

/// Most boxes of a coarse description.
inline constexpr std::uint32_t coarse_box_capacity = 8;

/// Where the particles of a rank are. Each box holds the smallest last acceleration of its targets.
struct DomainDescription {
  KeyRange keys;
  std::vector<TargetBox> coarse;  ///< a few boxes that hold all targets; none without particles
  std::vector<TargetBox> fine;    ///< some hundred boxes that hold all targets, in Morton order
};

/// Makes boxes larger than their targets need, for the motion of targets and cells while essential trees are kept. In the time t its
/// particles move apart by the range of their velocities times t at most; a box gets as much on every side, half of it for the cells
/// nearby.
struct BoxMargin {
  double time = 0;                ///< t, code units; 0: no margin
  float acceleration_factor = 1;  ///< of the smallest last acceleration
};

/// The particles of a domain, in the order of its tree.
struct DomainParticles {
  View<const Double4> position;
  const Double3* velocity = nullptr;         ///< for a margin
  const std::uint8_t* tree_level = nullptr;  ///< says where groups of targets begin; null: there are none
};

/// Describes the domain of a rank. Fine boxes are cells of its tree, with about the same number of particles. Coarse boxes join fine ones
/// and end at the borders of the largest cells, so that boxes of neighbours hardly overlap. `end_keys` [2]: smallest and largest key in
/// `cube`; empty without particles. Call compute_moments() before. Synchronises.
template <class Space>
DomainDescription describe_domain(Space& space, const Tree<Space>& tree, View<const std::uint64_t> end_keys,
                                  const DomainParticles& particles, const KeyCube& cube, const TreeScale& scale,
                                  const BoxMargin& margin = {});

}  // namespace grove
