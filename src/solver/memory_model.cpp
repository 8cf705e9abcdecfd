#include "src/solver/memory_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/gravity/gravity_law.hpp"
#include "kernels/tree/tree.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

namespace {

/// Cells a particle in a Plummer sphere; docs/development/internals.md, "Memory", has other sets.
constexpr double cells = 0.16;
/// The arena is a little larger than its largest use.
constexpr double arena_room = 1 + 1.0 / 64, smallest_arena = 1 << 20;
/// On the GPU, the lists of the walk `fmm`, bytes a particle, and the stacks of its warps, bytes, by the order of its expansions.
constexpr double lists = 5.5, stacks_of_order_4 = 22e6, stacks_of_order_5 = 17.5e6;
/// The stacks of the walk `tree`: of as many warps as can be resident at once, and of one warp, which walks for a group of about 42
/// particles. Four warps share a group where there is less than one group for three warps (tree_walk_cuda.cu).
constexpr double stacks_of_tree = 20e6, stack_of_warp = 6.25e3, particles_of_group = 42, warps_of_team = 4, warps_a_group_for_teams = 3;
/// These are higher by this factor over ranks, whose trees may have as many levels as there can be.
constexpr double stacks_over_ranks = 1.1;
/// On the GPU, the least memory from which other GPUs read messages of one kind, bytes.
constexpr double outbox = 2.1e6;
/// Direct summation: positions and ids in the ring, and the partial sums of as many tiles of sources as it takes to keep a device busy (see
/// direct_sum.cpp).
constexpr double ring_block = 40, partial_sum = 32, sources_of_tile = 4096, enough_sums = 1 << 18;

double bytes_of_cell(ExpansionForm form) {
  return sizeof(CellLinks) + sizeof(CellGeometry) + sizeof(float) * static_cast<double>(multipole_stride(form)) + sizeof(float);
}

/// The largest use of the arena by a phase of a force evaluation, a particle.
double largest_phase(double bytes_of_cell, bool on_gpu) {
  constexpr double keys = 8, order = 4, magnitudes = 4, cells_begun = 5.5, of_groups = 1, of_moments = 24;
  const double sort = keys + order + magnitudes + (on_gpu ? keys + order : 16);
  const double tree = magnitudes + keys + cells_begun + 20 * cells;
  const double moments = magnitudes + of_groups + (bytes_of_cell + of_moments) * cells;
  return std::max({sort, tree, moments});
}

std::size_t count_lengths(const GravityParameters& gravity) {
  std::set<double> lengths;
  for (const auto& [component, length] : gravity.softening_of_component) lengths.insert(length);
  if (lengths.empty()) lengths.insert(gravity.softening_of_type.begin(), gravity.softening_of_type.end());
  return std::max<std::size_t>(lengths.size(), 1);
}

double partial_sums(double particles) {
  const double tiles = std::ceil(particles / sources_of_tile);
  return partial_sum * particles * std::clamp(std::floor(enough_sums / std::max(particles, 1.0)), 1.0, std::max(tiles, 1.0));
}

}  // namespace

MemoryModel::MemoryModel(const GravityParameters& gravity, const FieldTable& fields, bool on_gpu, bool keeps_snapshots)
    : on_gpu_(on_gpu), is_direct_(gravity.method == "direct"), is_tree_(gravity.method == "tree") {
  for (const FieldArray& array : fields.arrays()) fields_ += static_cast<double>(array.item_bytes);
  if (!is_direct_) {
    lengths_ = static_cast<double>(count_lengths(gravity));
    cell_ = bytes_of_cell(gravity.method == "tree" ? WalkTerms::form : GravityLaw(gravity).expansion_form());
    arena_ = largest_phase(cell_, on_gpu);
    most_stacks_ = is_tree_ ? stacks_of_tree : gravity.order == 4 ? stacks_of_order_4 : stacks_of_order_5;
  }
  for (const ParticleField& field : fields.rows()) {
    const auto bytes = static_cast<double>(field.row_bytes());
    const bool is_kept = field.snapshot != InSnapshot::never || field.input != InInput::never;
    output_ += keeps_snapshots && is_kept ? bytes : 0;
    if (field.input == InInput::required) loaded_ += bytes;
  }
}

double MemoryModel::arena_bytes(double particles, int ranks) const {
  if (is_direct_) return std::max(partial_sums(particles), smallest_arena);
  return std::max(arena_room * arena_ * particles, smallest_arena) + (on_gpu_ ? stack_bytes(particles, ranks) : 0);
}

// Fitted to what 2, 3, 4 and 6 ranks held on the CPU with 5,000 to 400,000 particles each, in five Plummer spheres: all within 24 %, since
// it depends on where the borders of ranks meet the centre. The first term is that of arrays, which grow by a sixteenth when particles
// come, and of cells of other ranks that are not at a border: more of them for the walk `tree`. The second is that of the trees for and
// from other ranks: a surface. Both have twice as many sides where there are twice as many ranks, until all six sides have neighbours. The
// third is that of outboxes and lists. With several softening lengths each has a tree of fewer particles, with a surface of its own.
double MemoryModel::bytes_over_ranks(double particles, int ranks) const {
  if (ranks == 1) return 0;
  if (is_direct_) return ring_block * particles * std::min(ranks - 1, 2) + (on_gpu_ ? outbox : 0);
  const double sides = std::log2(std::min(ranks, 6)), border = (is_tree_ ? 0.6 : 1.35) * (150 + 16 * cell_) * std::cbrt(lengths_);
  return sides * ((is_tree_ ? 60 : 14) * particles + border * std::cbrt(particles * particles)) + (on_gpu_ ? 2 * outbox : 0.3e6);
}

double MemoryModel::stack_bytes(double particles, int ranks) const {
  const double most = ranks > 1 ? stacks_over_ranks * most_stacks_ : most_stacks_;
  if (!is_tree_) return most;
  const double groups = particles / particles_of_group;
  const bool has_teams = warps_a_group_for_teams * groups * stack_of_warp < stacks_of_tree;
  return std::min(most, (has_teams ? warps_of_team : 1) * stack_of_warp * groups);
}

double MemoryModel::device_bytes(double particles, int ranks) const {
  const double lists_of_walk = on_gpu_ && !is_direct_ && !is_tree_ ? lists : 0;
  return (fields_ + lists_of_walk) * particles + arena_bytes(particles, ranks) + bytes_over_ranks(particles, ranks);
}

// On the CPU what is loaded goes field by field to where it stays: the two together never take what a force evaluation takes.
double MemoryModel::host_bytes(double particles, int ranks) const {
  return on_gpu_ ? std::max(loaded_, output_) * particles : output_ * particles + device_bytes(particles, ranks);
}

}  // namespace grove
