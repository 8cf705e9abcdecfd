// What the host and the kernels of the dual walk on the GPU share.
#pragma once

#include "kernels/dual_walk.hpp"
#include "kernels/dual_walk_schedule.cuh"

namespace grove {

/// How much list memory was wanted.
struct ListStatus {
  std::uint32_t short_of_memory;  ///< not 0: there are target cells with the range no_memory
  std::uint32_t used;             ///< entries of list memory asked for
  std::uint32_t longest_list;     ///< handed down by one target cell
};

/// Arguments of the kernels of one walk.
struct DualArguments {
  TreeView sources;
  DualTargetView targets;
  DualWalkTargets data;
  double length, per_length, per_mass;
  double acceleration_unit, potential_unit;
  float support, support2;
  WalkMode mode;
  std::uint32_t first_level_cell;  ///< target cells before this one have no lists
  std::uint32_t* stacks;           ///< [warps * stack_capacity]
  std::uint32_t* collected;        ///< [warps * collected_capacity]
  std::uint32_t collected_capacity;
  std::uint32_t* put_off;  ///< [warps * put_off_capacity]
  std::uint32_t* lists;
  std::uint32_t list_capacity;
  std::uint64_t* list_range;     ///< [target cells] begin and end in lists, in the low and high 32 bits; not_ready; no_memory
  const std::uint8_t* finished;  ///< [target cells] 1: an earlier launch has walked it, and the groups right below; null: none has
  unsigned* drawn;               ///< [2] numbers given out to warps that walk for cells, for groups
  float* local;
  bool lists_first;         ///< target cells hand down their lists before their expansions, see dual_walk_schedule.cuh
  std::uint32_t* expanded;  ///< [target cells] if so, 1 once its part of `local` is written
  GroupWork* cell_work;
  ListStatus* status;
};

/// Walks for all target cells from first_level_cell on and all groups for whose lists there is memory. Asynchronous. Each order is compiled
/// on its own: dual_walk_order4.cu, dual_walk_order5.cu.
template <int order>
void launch_dual_walk(CudaSpace& space, const GravityParameters& gravity, const TreeScale& scale, DualArguments a);

namespace dual_walk {

inline constexpr int warps_per_block = 4;
/// More warps hide more latency, until registers for the terms of an expansion and of its derivatives run short: 4 and 6 blocks were slower
/// at order 4, 3 at order 5.
constexpr int blocks_per_multiprocessor(int order) { return order == 4 ? 5 : 4; }
// See walk_cuda.cu for why no stack can overflow.
inline constexpr std::uint32_t stack_capacity = 8 * warp_size * (deepest_level + 1);

/// Cells that a warp puts off until its list is handed down; what goes beyond is done at once.
inline constexpr std::uint32_t put_off_capacity = 32 * warp_size;

}  // namespace dual_walk

}  // namespace grove
