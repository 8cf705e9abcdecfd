// The sparse octree: its cells, and where their children and particles are. A rank's own tree and the essential trees of other ranks have
// the same layout.
//
// With several classes of softening, the octrees of the classes are next to each other below one root, which belongs to none of them:
// walks start at the roots of the classes.
//
// Invariants: cells are stored level by level, the root first; the children of a cell are contiguous and in Morton order; the particles of
// a cell are contiguous; a cell opens into its children, or, if it is a leaf, into its particles. Some cells of other ranks' trees cannot
// be opened: no target on this rank needs to open them. Lengths of float type are in units of `TreeScale::length`, masses in units of
// `TreeScale::mass`.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/gravity/cell.hpp"
#include "kernels/particles/morton_key.hpp"
#include "kernels/particles/type_classes.hpp"
#include "kernels/space/space.hpp"

namespace grove {

inline constexpr int largest_leaf = 24;  ///< particles; a leaf has more only if their keys are equal

/// The children and particles into which a cell opens.
struct alignas(16) CellLinks {
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;  ///< 0 for a leaf
  std::uint32_t first_particle = 0;
  std::uint32_t particle_count = 0;  ///< of the whole cell; 0 for a cell that cannot be opened
};

/// A tree, or several trees in the same arrays, as the walk sees them.
struct TreeView {
  const CellLinks* links = nullptr;
  const CellGeometry* geometry = nullptr;
  /// [cell_count * multipole_stride(form)], lengths in expansion_unit(radius); term t at Terms::index_of(t) - implied_terms.
  const float* multipole = nullptr;
  ExpansionForm form;                  ///< of the multipoles
  const Double4* particles = nullptr;  ///< position and mass, code units
  std::uint32_t cell_count = 0;
  std::uint32_t root_count = 0;
  const std::uint32_t* roots = nullptr;      ///< [root_count] cells where walks start; null: the cells first_root, first_root + 1, ...
  std::uint32_t levels = deepest_level + 1;  ///< upper bound of the levels from a root to a leaf
  std::uint32_t first_root = 0;

  GROVE_HD std::uint32_t root(std::uint32_t i) const { return roots ? roots[i] : first_root + i; }
};

inline constexpr std::uint32_t no_cell = ~0U;

/// Bits of a particle's tree_level that do not belong to the level: a group of targets begins at the particle, or is divided before it.
inline constexpr std::uint8_t group_bit = 0x40, division_bit = 0x80;
static_assert(deepest_level + 1 < group_bit);
/// The parts of a tree_level. build_tree(), choose_target_groups() and divide_busy_groups() set them.
GROVE_HD inline int level_in(std::uint8_t tree_level) { return tree_level & (group_bit - 1); }
GROVE_HD inline bool begins_group(std::uint8_t tree_level) { return (tree_level & group_bit) != 0; }
GROVE_HD inline bool divides_group(std::uint8_t tree_level) { return (tree_level & division_bit) != 0; }
GROVE_HD inline void set_group_begin(std::uint8_t& tree_level) { tree_level |= group_bit; }
GROVE_HD inline void set_division(std::uint8_t& tree_level) { tree_level |= division_bit; }

using LevelOffsets = std::array<std::uint32_t, deepest_level + 2>;  ///< cells of level l are [o[l], o[l+1])
GROVE_HD inline int level_of_cell(std::uint32_t cell, const LevelOffsets& level_offset) {
  int level = 0;
  while (cell >= level_offset[static_cast<std::size_t>(level) + 1]) ++level;
  return level;
}

/// A rank's own tree, in memory of the step. Its particles are those of `Particles`, in the same order.
template <class Space>
class Tree {
 public:
  /// `multipole_form`: of order 2 with all terms, of order 4 or 5 with all or harmonic ones.
  Tree(Space& space, ExpansionForm multipole_form)
      : links(space), geometry(space), multipole(space), least_acceleration(space), parent(space), arrived(space), form(multipole_form) {}

  std::uint32_t cell_count() const { return level_offset.back(); }
  TreeView view(const Double4* particles) const {
    std::uint32_t levels = 0;
    while (levels <= deepest_level && level_offset[levels + 1] > level_offset[levels]) ++levels;
    return {links.data(), geometry.data(), multipole.data(), form, particles, cell_count(), cell_count() > 0 ? 1U : 0U, nullptr, levels};
  }

  /// Number of particles of a class, out of `particle_count` in all.
  std::size_t particles_of_class(std::size_t its_class, std::size_t particle_count) const {
    return class_count == 1 ? particle_count : class_begin[its_class + 1] - class_begin[its_class];
  }
  /// The cell where walks of one class start; no_cell if the class has no particles on this rank.
  std::uint32_t root_of(int its_class) const {
    if (class_count == 1) return cell_count() > 0 ? 0 : no_cell;
    const auto has_particles = [&](int c) {
      return class_begin[static_cast<std::size_t>(c)] < class_begin[static_cast<std::size_t>(c) + 1];
    };
    if (cell_count() == 0 || !has_particles(its_class)) return no_cell;
    std::uint32_t root = level_offset[1];
    for (int c = 0; c < its_class; ++c) root += has_particles(c) ? 1 : 0;
    return root;
  }
  /// The octrees of some classes, whose roots are next to each other.
  TreeView view(const Double4* particles, ClassRange classes) const {
    TreeView some = view(particles);
    some.root_count = 0;
    for (int c = classes.begin; c < classes.end; ++c)
      if (const std::uint32_t root = root_of(c); root != no_cell && some.root_count++ == 0) some.first_root = root;
    return some;
  }

  StepBuffer<Space, CellLinks> links;
  StepBuffer<Space, CellGeometry> geometry;
  StepBuffer<Space, float> multipole;
  StepBuffer<Space, float> least_acceleration;  ///< [cells] smallest last acceleration in the cell, scaled; 0 if unknown
  /// Needed by compute_moments(), which sets them in its first call for these links:
  StepBuffer<Space, std::uint32_t> parent;  ///< [cells of the levels that teams climb, see moments.cpp] no_cell for the root
  StepBuffer<Space, std::uint32_t>
      arrived;  ///< [as parent] number of children that have their moments, while moments are computed; otherwise 0
  bool knows_parents = false;
  ExpansionForm form;    ///< of the multipoles
  std::size_t room = 0;  ///< number of cells of other trees for which links, geometry and multipole have room after those of this tree
  LevelOffsets level_offset{};  ///< on the host; levels that do not exist are empty
  std::uint64_t others = 0;     ///< particles of the trees that are walked for its particles, besides these
  int class_count = 1;          ///< of softening. With several, the first level of the keys is the class (key_in_class())
  /// With several classes: the first particle of each, and the end for all later entries.
  std::array<std::uint32_t, most_type_classes + 1> class_begin{};
};

}  // namespace grove
