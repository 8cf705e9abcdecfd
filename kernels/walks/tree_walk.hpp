// Step 8 (docs/development/overview.md), the walk of method `tree` (Barnes 1990): all targets of a group share one list of sources.
//
// A group consists of at most `largest_group` consecutive particles. For each group, the source tree is walked from its root. A cell that
// the opening criterion accepts for the group's bounding box acts with its moments. A leaf that is not accepted acts with its particles.
// Two drivers share the tests and the interactions: a warp or a team of warps for each group on the GPU, and SIMD over the targets on the
// CPU.
#pragma once

#include <stdexcept>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/gravity/interaction.hpp"
#include "kernels/tree/active_targets.hpp"
#include "kernels/tree/tree.hpp"

namespace grove {

inline constexpr int largest_group = 64;  ///< two targets for each lane of a warp, so that each source loaded is used twice

/// Work done for one group, summed over the trees walked. Interactions are counted for one target, since all targets of a group have the
/// same.
struct GroupWork {
  std::uint32_t particle_particle = 0;
  std::uint32_t cell_particle = 0;
  std::uint32_t opening_tests = 0;  ///< by the group as a whole
  std::uint32_t cell_cell = 0;      ///< by the group as a whole

  GROVE_HD friend GroupWork operator+(const GroupWork& a, const GroupWork& b) {
    return {a.particle_particle + b.particle_particle, a.cell_particle + b.cell_particle, a.opening_tests + b.opening_tests,
            a.cell_cell + b.cell_cell};
  }
};

// Costs in issue slots per target, which is the unit of measured work: the instructions of one interaction or test.
inline constexpr std::uint32_t slots_particle_particle = 16;
inline constexpr std::uint32_t slots_cell_particle = 45;
inline constexpr std::uint32_t slots_cell_cell = 350;    ///< shared by the targets of a group
inline constexpr std::uint32_t slots_opening_test = 70;  ///< shared by the targets of a group

/// The targets of a walk. Group g has the particles [group_start[g], group_start[g+1]).
struct WalkTargets {
  View<const Double4> particles;               ///< position and mass, code units
  View<const float> group_least_acceleration;  ///< [groups] smallest last acceleration, scaled as in Tree
  View<const std::uint32_t> group_start;       ///< [groups + 1]; empty when there are no particles
  View<Double4> acceleration;                  ///< [particles] out: acceleration and potential, code units, G included
  View<GroupWork> work;                        ///< [groups] out
  ActiveTargets active{};                      ///< the targets to walk for
  std::uint32_t* lacks_cells = nullptr;        ///< out: 1 for WalkOutcome::lacks_cells, otherwise not changed; null: not asked for

  GROVE_HD std::size_t group_count() const { return group_start.size > 0 ? group_start.size - 1 : 0; }
  /// The groups to walk for: their number, and the group at index i.
  GROVE_HD std::size_t walked_count() const { return active.is_list ? active.groups.size : group_count(); }
  GROVE_HD std::size_t walked_group(std::size_t i) const { return active.is_list ? active.groups[i] : i; }
};

/// What a walk has found. Several walks, or ranks, together have found the largest value.
enum class WalkOutcome {
  complete,
  lacks_cells,   ///< a target had to open a cell that cannot be opened: an essential tree is too small, and forces are not valid
  out_of_bounds  ///< the walk was refused, and has set no forces: see TreeBounds
};

/// How the results of a walk are stored.
enum class WalkMode {
  own_tree,   ///< sources are the targets' own tree, particle for particle; results are set
  other_tree  ///< sources are other particles; results are added
};

/// Stores the work of a walk, or the scaled force of its sources on a target, as `mode` says.
GROVE_HD inline void store_work(const GroupWork& work, WalkMode mode, GroupWork& out) {
  out = (mode == WalkMode::own_tree ? GroupWork{} : out) + work;
}
GROVE_HD inline void store_force(const Force<float>& sum, const GravityUnits& units, WalkMode mode, Double4& out) {
  const Double4 before = mode == WalkMode::own_tree ? Double4{} : out;
  out = {before.x + sum.x * units.acceleration, before.y + sum.y * units.acceleration, before.z + sum.z * units.acceleration,
         before.w - sum.potential * units.potential};
}

/// The moments of a cell that act on targets around `centre`.
template <class Terms>
GROVE_HD CellSource cell_source(const TreeView& sources, std::uint32_t cell, const Double3& centre, const GravityUnits& units) {
  const CellGeometry& g = sources.geometry[cell];
  return make_cell_source<Terms>(units.offset(g.centre_of_mass.x, centre.x), units.offset(g.centre_of_mass.y, centre.y),
                                 units.offset(g.centre_of_mass.z, centre.z), g.mass,
                                 sources.multipole + std::size_t{cell} * multipole_stride(Terms::form), expansion_unit(g.radius));
}

/// Terms of the multipoles in this walk: they are evaluated at each target.
using WalkTerms = AllTerms<2>;

/// Throws std::logic_error unless the multipoles of `sources` have the given form.
inline void check_form(const TreeView& sources, ExpansionForm form) {
  if (!(sources.form == form)) throw std::logic_error("a tree's multipoles have other terms than those of the walk");
}

/// Walks `sources`, whose multipoles have WalkTerms, for all groups of `targets` or for those with active targets. `law` is in the units of
/// the tree. Asynchronous on the GPU. Throws std::logic_error for multipoles with other terms.
template <class Space>
void walk_tree(Space& space, const ScaledLaw& law, const TreeView& sources, const WalkTargets& targets, WalkMode mode);

}  // namespace grove
