// Whether a test that needs a GPU can run.
#pragma once

#ifdef GROVE_TEST_NEEDS_GPU
#include <cuda_runtime_api.h>
#endif

namespace grove::tests {

/// True in test executables with the ctest label gpu.
#ifdef GROVE_TEST_NEEDS_GPU
inline constexpr bool needs_gpu = true;
#else
inline constexpr bool needs_gpu = false;
#endif

/// True when the driver shows at least one GPU; always false in a test that needs none.
inline bool gpu_present() {
#ifdef GROVE_TEST_NEEDS_GPU
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
#else
  return false;
#endif
}

}  // namespace grove::tests
