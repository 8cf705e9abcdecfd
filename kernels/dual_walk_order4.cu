#include "kernels/dual_walk_warp.cuh"

namespace grove {

template void launch_dual_walk<4>(CudaSpace&, const GravityParameters&, const TreeScale&, DualArguments);

}  // namespace grove
