// The sparse octree: what a cell is, and where its parts lie. The same layout holds a rank's own tree and the essential trees of others.
//
// Invariants: cells are stored level by level, the root first; the children of a cell are contiguous and in Morton order; the particles of
// a cell are contiguous; a cell has children or particles of its own to open into, or neither (a cell of another rank's tree that no target
// here may open). Lengths of float type are in units of `TreeScale::length`, masses in units of `TreeScale::mass`.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/morton_key.hpp"
#include "kernels/multipole.hpp"
#include "kernels/parallel.hpp"

namespace grove {

inline constexpr int largest_leaf = 16;  ///< particles; more only where the keys cannot tell them apart

/// What a cell opens into.
struct alignas(16) CellLinks {
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;  ///< 0 for a leaf
  std::uint32_t first_particle = 0;
  std::uint32_t particle_count = 0;  ///< of the whole cell; 0 for a cell that cannot be opened
};

/// What expansions need of a cell. All of it comes from the particles in the cell, not from the cube the keys name.
struct alignas(32) CellPlace {
  Double3 centre_of_mass;  ///< code units; the mean position where the mass is zero
  float mass = 0;
  float radius = 0;  ///< upper bound of the distance of any particle from the centre of mass
};

/// What opening criteria look at, likewise.
struct alignas(64) CellGeometry : CellPlace {
  float half_size[3] = {};  ///< of the bounding box
  float offset[3] = {};     ///< of the bounding box's centre from the centre of mass
  float longest_side = 0;   ///< of the bounding box
  float spread = 0;         ///< radius at which all of the mass would have the same fourth moment, sum m d^4; at most `radius`
};

/// Powers of two that bring lengths and masses near 1, so that FP32 can hold them and their powers in whatever units the user works.
struct TreeScale {
  double length = 1;
  double mass = 1;
};

/// The number of terms of order 0 and 1, which are not stored with a multipole: the monopole is CellGeometry::mass, the dipole is zero.
inline constexpr int implied_terms = term_count(1);

/// Floats that a cell's multipole takes: terms of order 2 and more, padded to whole 16-byte words where they are many.
GROVE_HD constexpr int multipole_stride(ExpansionForm form) {
  const int terms = form.terms() - implied_terms;
  return form.order == 2 ? terms : (terms + 3) / 4 * 4;
}

/// The unit of length of an expansion whose contents reach to `radius`: the power of two at or below it, 1 for a point. Expansions are kept
/// in units of their own, since FP32 could not hold the fourth power of both a box and its smallest cells.
GROVE_HD inline float expansion_unit(float radius) {
  constexpr std::uint32_t sign_and_exponent = 0xff800000U;
  return radius > 1e-30F ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(radius) & sign_and_exponent) : 1;
}

/// A tree, or several in the same arrays, as the walk sees them.
struct TreeView {
  const CellLinks* links = nullptr;
  const CellGeometry* geometry = nullptr;
  /// [cell_count * multipole_stride(form)], lengths in expansion_unit(radius); term t at Terms::index_of(t) - implied_terms.
  const float* multipole = nullptr;
  ExpansionForm form;                  ///< of the multipoles
  const Double4* particles = nullptr;  ///< position and mass, code units
  std::uint32_t cell_count = 0;
  std::uint32_t root_count = 0;
  const std::uint32_t* roots = nullptr;      ///< [root_count] cells where walks start; null: cells 0 to root_count - 1
  std::uint32_t levels = deepest_level + 1;  ///< at most, from a root to a leaf

  GROVE_HD std::uint32_t root(std::uint32_t i) const { return roots ? roots[i] : i; }
};

using LevelOffsets = std::array<std::uint32_t, deepest_level + 2>;  ///< cells of level l are [o[l], o[l+1])

/// A rank's own tree, in memory of the step. Its particles are those of Particles, in the same order.
template <class Space>
class Tree {
 public:
  /// `multipole_form`: of order 2 with all terms, of order 4 or 5 with all or harmonic ones.
  Tree(Space& space, ExpansionForm multipole_form)
      : links(space), geometry(space), multipole(space), least_acceleration(space), form(multipole_form) {}

  std::uint32_t cell_count() const { return level_offset.back(); }
  TreeView view(const Double4* particles) const {
    std::uint32_t levels = 0;
    while (levels <= deepest_level && level_offset[levels + 1] > level_offset[levels]) ++levels;
    return {links.data(), geometry.data(), multipole.data(), form, particles, cell_count(), cell_count() > 0 ? 1U : 0U, nullptr, levels};
  }

  StepBuffer<Space, CellLinks> links;
  StepBuffer<Space, CellGeometry> geometry;
  StepBuffer<Space, float> multipole;
  StepBuffer<Space, float> least_acceleration;  ///< [cells] smallest last acceleration in the cell, scaled; 0 where unknown
  ExpansionForm form;                           ///< of the multipoles
  LevelOffsets level_offset{};                  ///< on the host; levels that do not exist are empty
};

}  // namespace grove
