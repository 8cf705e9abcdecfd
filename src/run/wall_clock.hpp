// The clock by which a run measures itself.
#pragma once

#include <chrono>

namespace grove {

/// Seconds since some moment before the program; never goes back.
inline double wall_clock_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace grove
