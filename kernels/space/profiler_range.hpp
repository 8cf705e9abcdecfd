// Names for stretches of the host's time, which profilers of NVIDIA GPUs show beside the kernels (NVTX). They cost nothing otherwise.
#pragma once

#if defined(__CUDACC__)
#include <nvtx3/nvToolsExt.h>
#endif

namespace grove {

/// The present range of a thread. Ranges follow each other.
class ProfilerRange {
 public:
  ProfilerRange() = default;
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange() { end(); }

  /// Ends the present range, and begins another one.
  void begin([[maybe_unused]] const char* name) {
    end();
#if defined(__CUDACC__)
    nvtxRangePushA(name);
    is_open_ = true;
#endif
  }
  void end() {
#if defined(__CUDACC__)
    if (is_open_) nvtxRangePop();
    is_open_ = false;
#endif
  }

#if defined(__CUDACC__)
 private:
  bool is_open_ = false;
#endif
};

}  // namespace grove
