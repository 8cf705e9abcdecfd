// The inner loops of the CPU that exist once for each level of x86-64 (cpu_level.hpp), as a table of functions for each level.
//
// The sources of these functions are compiled as they are, once for each level, and joined with level_table.cpp into one object file for
// each level. All its symbols are local but the table (cmake/GroveLevels.cmake): so no function or template that a level has in common with
// the rest of the program, of the C++ library say, can take the place of the rest's own, which every processor can run.
// level_kernels.cpp, compiled for every processor, has the functions that all other code calls. They go on to the table of the level in
// use.
#pragma once

#include "kernels/tree/tree_build.hpp"
#include "kernels/walks/direct_sum.hpp"
#include "kernels/walks/fmm_walk.hpp"
#include "kernels/walks/pair_sum.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

struct LevelKernels {
  decltype(&build_tree<HostSpace>) build_tree;
  decltype(&rebuild_tree<HostSpace>) rebuild_tree;
  decltype(&walk_tree<HostSpace>) walk_tree;
  decltype(&add_direct_sum<HostSpace>) add_direct_sum;
  void (*walk_fmm)(FmmWalk<HostSpace>&, HostSpace&, const ScaledLaw&, const TreeView&, const FmmTargets<HostSpace>&, const FmmWalkTargets&,
                   WalkMode);
  void (*begin_fmm_walk)(FmmWalk<HostSpace>&, HostSpace&, std::uint32_t);
  void (*sum_pairs)(PairSum<HostSpace>&, HostSpace&, const ScaledLaw&, const Double3&, View<const Double4>, const std::uint8_t*,
                    View<Double4>);
};

extern const LevelKernels level_kernels_x86_64, level_kernels_x86_64_v3, level_kernels_x86_64_v4;

}  // namespace grove
