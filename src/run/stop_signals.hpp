// Signals that ask a run to end after the present step.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace grove {

/// While an object lives, the first of SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP and SIGXCPU is only noted; a second one, of any of these
/// kinds, ends the program as usual. What comes within two seconds of the first is the same request: launchers and batch systems send it
/// to a rank by several ways. A SIGHUP that is ignored, as nohup does it, stays so. Of objects that live at the same time, the first
/// counts.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// Restores the earlier handlers, unless a signal has come: then the program is about to end.
  ~StopSignals();

  /// The signal that came to this process, or 0.
  static int received();

  static constexpr std::array<int, 6> kinds{SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

 private:
  bool is_first_;
  std::array<struct sigaction, kinds.size()> earlier_{};
};

/// "SIGTERM" of one of these signals; "signal 99" of another.
std::string name_of_signal(int signal);

}  // namespace grove
