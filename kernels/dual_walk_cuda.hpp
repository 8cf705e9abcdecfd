// What the host and the kernels of the dual walk on the GPU share.
#pragma once

#include "kernels/dual_walk.hpp"
#include "kernels/warp.cuh"

namespace grove {

/// What went wrong for lack of memory, and how much was wanted.
struct ListStatus {
  std::uint32_t used;          ///< entries of list memory asked for
  std::uint32_t longest_list;  ///< handed down by one target cell
};

/// Arguments of the kernels of one walk.
struct DualArguments {
  TreeView sources;
  DualTargetView targets;
  DualWalkTargets data;
  double length, per_length, per_mass, per_acceleration;
  double acceleration_unit, potential_unit;
  float support, support2;
  WalkMode mode;
  std::uint32_t first_level_cell;  ///< target cells before this one have no lists
  std::uint32_t* stacks;           ///< [warps * stack_capacity]
  std::uint32_t* collected;        ///< [warps * collected_capacity]
  std::uint32_t collected_capacity;
  std::uint32_t* lists;
  std::uint32_t list_capacity;
  std::uint64_t* list_range;  ///< [target cells] not_ready before the cell's list and expansion are written
  float* local;
  GroupWork* cell_work;
  ListStatus* status;
  unsigned* next_item;
};

enum class DualTargetKind { cells, groups };

/// Walks for all target cells from first_level_cell on, or for all groups. Asynchronous. Each order is compiled on its own:
/// dual_walk_order4.cu, dual_walk_order5.cu.
template <int order>
void launch_dual_walk(CudaSpace& space, const GravityParameters& gravity, const TreeScale& scale, DualArguments a, DualTargetKind kind);

namespace dual_walk {

inline constexpr int warps_per_block = 4;
/// Registers set it: the terms of an expansion and of its derivatives stay in them.
constexpr int blocks_per_multiprocessor(int order) { return order == 4 ? 4 : 3; }
// See walk_cuda.cu for why no stack can overflow.
inline constexpr std::uint32_t stack_capacity = 8 * warp_size * (deepest_level + 1);
inline constexpr std::uint64_t not_ready = ~std::uint64_t{0};

}  // namespace dual_walk

}  // namespace grove
