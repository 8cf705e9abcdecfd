// Whether a test that needs a GPU can run.
#pragma once

#include <cstdlib>
#include <string>

#ifdef GROVE_TEST_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace grove::tests {

/// True when GROVE_TEST_DEVICE asks a test of the simulation to run on a GPU; the default is the CPU.
inline bool gpu_wanted() {
  const char* device = std::getenv("GROVE_TEST_DEVICE");
  return device && std::string(device) == "gpu";
}

/// True in test entries with the ctest label gpu.
inline bool needs_gpu() {
#ifdef GROVE_TEST_NEEDS_GPU
  return true;
#else
  return gpu_wanted();
#endif
}

/// True when the driver shows at least one GPU; always false where CUDA is not built.
inline bool gpu_present() {
#ifdef GROVE_TEST_HAS_CUDA
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
#else
  return false;
#endif
}

}  // namespace grove::tests
