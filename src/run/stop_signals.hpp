// SIGINT and SIGTERM ask a run to end after the present step.
#pragma once

#include <csignal>

namespace grove {

/// While an object lives, the first SIGINT or SIGTERM is only noted; a second one ends the program as usual. One at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// Restores the earlier handlers.
  ~StopSignals();

  /// The signal that came to this process, or 0.
  static int received();

 private:
  struct sigaction earlier_interrupt_ = {}, earlier_terminate_ = {};
};

}  // namespace grove
