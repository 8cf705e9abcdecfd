// Types and constants shared by the host and the kernels of the walk of `fmm` on the GPU. docs/development/constants.md has the
// measurements behind the constants.
#pragma once

#include "kernels/walks/fmm_walk.hpp"
#include "kernels/walks/fmm_walk_schedule.cuh"

namespace grove {

/// The list memory that a walk has requested, whether it must be continued, and what it has found.
struct ListStatus {
  unsigned long long used;                   ///< entries of list memory requested
  std::uint32_t longest_list;                ///< length of the longest list of one target cell
  std::uint32_t short_of_memory;             ///< not 0: some target cells have the range no_memory
  std::uint32_t out_of_bounds, lacks_cells;  ///< not 0: see WalkOutcome
};

/// Counters that the launches of a walk share.
struct WarpCounts {
  unsigned groups_drawn, cells_drawn;  ///< numbers of targets drawn so far
  unsigned cells_done;                 ///< number of target cells that are done: walked or skipped
  unsigned slots_lent;                 ///< see fmm_walk::BlockSlot
  unsigned slots_returned;
};

/// Arguments of the kernels of one walk.
struct FmmArguments {
  TreeView sources;
  FmmTargetView targets;
  FmmWalkTargets data;
  GravityUnits units;
  float support, support2;
  float common_mass;  ///< as ScaledLaw
  WalkMode mode;
  std::uint32_t first_level_cell;  ///< first target cell with a list
  unsigned block_slots;            ///< blocks that can be resident at once; `warps` below is the number of their warps
  unsigned* slots_returned;        ///< [block_slots] see fmm_walk::BlockSlot
  std::uint32_t* stacks;           ///< [warps * stack_capacity]
  std::uint32_t stack_capacity;
  std::uint32_t* collected;  ///< [warps * collected_capacity]
  std::uint32_t collected_capacity;
  std::uint32_t* put_off;  ///< [warps * put_off_capacity]
  std::uint32_t put_off_capacity;
  std::uint32_t* lists;
  std::uint32_t list_capacity;
  std::uint64_t* list_range;     ///< [target cells] begin and end in lists, in the low and high 32 bits, or not_ready, or no_memory
  const std::uint8_t* finished;  ///< [target cells] 1: an earlier launch has walked it and the groups directly below; null: there was none
  WarpCounts* counts;
  std::uint32_t* done;  ///< [target cells] 1 once its part of `local` is written, or will not be: without a list, or for lack of memory
  float* local;
  std::uint32_t expected_cells;  ///< about drawn_cells(): the host does not know how many cells are active
  int cell_team, group_team;     ///< number of warps that walk together for a target cell, for a group: see WarpTeam
  bool lists_first;              ///< target cells hand down their lists before their expansions are complete, see fmm_walk_schedule.cuh
  GroupWork* cell_work;
  ListStatus* status;

  /// Whether `cell`, a target cell or no_parent, has a list.
  __device__ bool has_list(std::uint32_t cell) const { return cell != no_parent && cell >= first_level_cell; }
  /// Number of target cells to draw: those with lists, or the active ones.
  __device__ std::uint32_t drawn_cells() const {
    return data.active.is_list ? *data.active.cell_count : targets.cell_count - first_level_cell;
  }
  __device__ std::uint32_t drawn_cell(std::uint32_t number) const {
    return data.active.is_list ? data.active.cells[number] : first_level_cell + number;
  }
  /// Number of groups to walk for.
  GROVE_HD std::uint32_t walked_groups() const {
    return data.active.is_list ? static_cast<std::uint32_t>(data.active.groups.size) : targets.group_count;
  }
};

/// Walks for all targets or for the active ones, except those for whose lists there is no memory. Asynchronous.
/// Each order has its own source file: fmm_walk_order4.cu, fmm_walk_order5.cu.
template <int order>
void launch_fmm_walk(CudaSpace& space, const ScaledLaw& law, const FmmArguments& a);

namespace fmm_walk {

/// More warps hide more latency, as long as there are enough registers for the terms of an expansion and of its derivatives. There is one
/// more block for cells with harmonic expansions, which have fewer terms, and for groups of single warps. Single warps for groups must have
/// at least as many blocks as the cells.
constexpr int blocks_per_multiprocessor(ExpansionForm form, bool at_group, int team) {
  const bool has_one_more = at_group ? team == 1 : form.harmonic;
  return (form.order == 4 ? 4 : 3) + (has_one_more ? 1 : 0);
}

/// Pending cells that a lane tests at a time while the stack is short; see most_taken(). Each warp of a team has fewer pending cells, and
/// the time for one round matters more.
inline constexpr int tests_a_lane = 2, tests_a_lane_of_team = 1;
inline constexpr std::uint32_t few_pending = 384, taken_of_many = 4;
constexpr std::uint32_t most_taken(std::uint32_t pending, std::uint32_t few, int tests) {
  return pending > few ? taken_of_many : static_cast<std::uint32_t>(tests * warp_size);
}

/// Room for the pending cells of one warp, in a tree with `levels` levels. A cell that is taken is replaced by at most 8 children, so the
/// stack grows by at most 7 for each. Above few_pending cells, which is rare, only taken_of_many cells are taken at a time from the top.
/// The next ones taken are descendants of these, until none are left, so every level adds at most 7 for each.
constexpr std::uint32_t stack_capacity(std::uint32_t levels) {
  return few_pending + 7 * (tests_a_lane * warp_size + taken_of_many * levels);
}
/// In a team, the cells that the warps share are below the stack of each warp. There are at most 8 for each lane.
inline constexpr std::uint32_t few_pending_of_team = few_pending - 8 * warp_size;

/// Number of accepted cells that the `cell_team` warps of a target together can put off until the list is handed down. Further cells are
/// added to the expansion immediately.
inline constexpr std::uint32_t put_off_by_team = 32 * warp_size;

}  // namespace fmm_walk

}  // namespace grove
