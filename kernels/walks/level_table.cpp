// The table of one level; GROVE_CPU_LEVEL_TABLE is its name.
#include "kernels/walks/level_kernels.hpp"

namespace grove {

const LevelKernels GROVE_CPU_LEVEL_TABLE{&build_tree<HostSpace>,        &rebuild_tree<HostSpace>,   &walk_tree<HostSpace>,
                                         &add_direct_sum<HostSpace>,    &FmmWalk<HostSpace>::begin, &FmmWalk<HostSpace>::walk,
                                         &DirectSumFp32<HostSpace>::run};

}  // namespace grove
