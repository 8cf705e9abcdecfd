#include "kernels/walks/level_kernels.hpp"

#include "kernels/space/cpu_level.hpp"

namespace grove {

namespace {

const LevelKernels& kernels() {
  switch (cpu_level()) {
    case CpuLevel::x86_64_v4:
      return level_kernels_x86_64_v4;
    case CpuLevel::x86_64_v3:
      return level_kernels_x86_64_v3;
    case CpuLevel::x86_64:
      break;
  }
  return level_kernels_x86_64;
}

}  // namespace

template <>
void build_tree(HostSpace& space, View<const std::uint64_t> keys, Tree<HostSpace>& tree, View<std::uint8_t> first_level) {
  kernels().build_tree(space, keys, tree, first_level);
}

template <>
void rebuild_tree(HostSpace& space, View<const std::uint8_t> first_level, Tree<HostSpace>& tree) {
  kernels().rebuild_tree(space, first_level, tree);
}

template <>
void walk_tree(HostSpace& space, const ScaledLaw& law, const TreeView& sources, const WalkTargets& targets, WalkMode mode) {
  kernels().walk_tree(space, law, sources, targets, mode);
}

template <>
void add_direct_sum(HostSpace& space, const GravityLaw& law, const DirectSources& sources, const DirectTargets& targets) {
  kernels().add_direct_sum(space, law, sources, targets);
}

template <>
void FmmWalk<HostSpace>::begin(HostSpace& space, std::uint32_t target_cells, bool for_all) {
  (this->*kernels().begin_fmm_walk)(space, target_cells, for_all);
}

template <>
WalkOutcome FmmWalk<HostSpace>::walk(HostSpace& space, const ScaledLaw& law, const TreeView& sources, const FmmTargets<HostSpace>& targets,
                                     const FmmWalkTargets& data, WalkMode mode, const std::function<void()>& meanwhile) {
  return (this->*kernels().walk_fmm)(space, law, sources, targets, data, mode, meanwhile);
}

template <>
void DirectSumFp32<HostSpace>::run(HostSpace& space, const ScaledLaw& law, const Double3& centre, View<const Double4> particles,
                                   const std::uint8_t* active, View<Double4> acceleration) {
  (this->*kernels().direct_sum_fp32)(space, law, centre, particles, active, acceleration);
}

}  // namespace grove
