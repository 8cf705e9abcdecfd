// The table of one level; GROVE_CPU_LEVEL_TABLE is its name.
#include "kernels/walks/level_kernels.hpp"

namespace grove {

const LevelKernels GROVE_CPU_LEVEL_TABLE{
    &build_tree<HostSpace>,
    &rebuild_tree<HostSpace>,
    &walk_tree<HostSpace>,
    &add_direct_sum<HostSpace>,
    [](FmmWalk<HostSpace>& walk, HostSpace& space, const ScaledLaw& law, const TreeView& sources, const FmmTargets<HostSpace>& targets,
       const FmmWalkTargets& data, WalkMode mode,
       const std::function<void()>& meanwhile) { return walk.walk(space, law, sources, targets, data, mode, meanwhile); },
    [](FmmWalk<HostSpace>& walk, HostSpace& space, std::uint32_t target_cells) { walk.begin(space, target_cells); },
    [](DirectSumFp32<HostSpace>& sum, HostSpace& space, const ScaledLaw& law, const Double3& centre, View<const Double4> particles,
       const std::uint8_t* active, View<Double4> acceleration) { sum.run(space, law, centre, particles, active, acceleration); }};

}  // namespace grove
