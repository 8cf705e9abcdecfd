// Wall time of parts of the work that follow each other.
#pragma once

#include <chrono>

namespace grove {

class Stopwatch {
 public:
  /// Seconds since the last call, or since the stopwatch was made.
  double lap() {
    const Clock::time_point last = last_;
    last_ = Clock::now();
    return std::chrono::duration<double>(last_ - last).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

}  // namespace grove
