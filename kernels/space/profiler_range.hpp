// Named ranges of host time that profilers of NVIDIA GPUs show with the kernels (NVTX). Without a profiler they cost nothing.
#pragma once

#if defined(__CUDACC__)
#include <nvtx3/nvToolsExt.h>
#endif

namespace grove {

/// The present range of a thread.
class ProfilerRange {
 public:
  ProfilerRange() = default;
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange() { end(); }

  /// Ends the present range and begins another.
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
