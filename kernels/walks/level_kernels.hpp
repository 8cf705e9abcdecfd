// The inner loops for the CPU, which are compiled once for each level of x86-64 (cpu_level.hpp): a table of functions for each level.
//
// For each level, the sources of these functions and level_table.cpp are compiled and joined into one object file. All its symbols except
// the table are local (cmake/GroveLevels.cmake). Otherwise the linker could use a function of a level, for example one of the C++ library,
// in the rest of the program, which must run on every processor. level_kernels.cpp is compiled for every processor. It has the functions
// that all other code calls; they call those in the table of the level in use.
#pragma once

#include "kernels/tree/tree_build.hpp"
#include "kernels/walks/direct_sum.hpp"
#include "kernels/walks/direct_sum_fp32.hpp"
#include "kernels/walks/fmm_walk.hpp"
#include "kernels/walks/tree_walk.hpp"

namespace grove {

struct LevelKernels {
  decltype(&build_tree<HostSpace>) build_tree;
  decltype(&rebuild_tree<HostSpace>) rebuild_tree;
  decltype(&walk_tree<HostSpace>) walk_tree;
  decltype(&add_direct_sum<HostSpace>) add_direct_sum;
  decltype(&FmmWalk<HostSpace>::begin) begin_fmm_walk;
  decltype(&FmmWalk<HostSpace>::walk) walk_fmm;
  decltype(&DirectSumFp32<HostSpace>::run) direct_sum_fp32;
};

extern const LevelKernels level_kernels_x86_64, level_kernels_x86_64_v3, level_kernels_x86_64_v4;

}  // namespace grove
