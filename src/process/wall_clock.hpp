// The clock for all time measurements of a run.
#pragma once

#include <chrono>

namespace grove {

/// Seconds since an arbitrary moment; monotonic.
inline double wall_clock_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace grove
