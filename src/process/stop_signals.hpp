// Signals that ask a run to stop after the present step.
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace grove {

/// During its lifetime, the first of SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP and SIGXCPU is only noted; a second one of any kind ends the
/// program as usual. Signals within two seconds of the first are the same request: launchers and batch systems send it to a rank in several
/// ways. An ignored SIGHUP, as under nohup, stays ignored. Of several objects at the same time, only the first has an effect.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// Restores the earlier handlers, unless a signal has come and the program is about to end.
  ~StopSignals();

  /// The signal that came to this process, or 0.
  static int received();
  /// From now on the first signal ends the process at once, with the exit code of a run to be continued and, unless `words` are empty, with
  /// "grove: stopped by SIGTERM" and `words`, which are static: for what may wait for ever, as a read from a pipe. Null: it is noted again.
  static void end_at_once(const char* words);

  static constexpr std::array<int, 6> kinds{SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

 private:
  bool is_first_;
  std::array<struct sigaction, kinds.size()> earlier_{};
};

/// "SIGTERM" of one of these signals; "signal 99" of another.
std::string name_of_signal(int signal);

}  // namespace grove
