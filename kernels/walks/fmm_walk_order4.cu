#include "kernels/walks/fmm_walk_kernel.cuh"

namespace grove {

template void launch_fmm_walk<4>(CudaSpace&, const ScaledLaw&, const FmmArguments&);

}  // namespace grove
