#include "src/run/stop_signals.hpp"

#include <cstddef>
#include <ctime>
#include <utility>

namespace grove {

namespace {

constexpr std::time_t same_request_s = 2;

volatile std::sig_atomic_t received_signal = 0;
volatile std::time_t received_at_s = 0;
bool is_noting = false;

std::time_t monotonic_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

/// Calls only what a handler of signals may call.
void note(int signal) {
  if (received_signal == 0) {
    received_at_s = monotonic_s();
    received_signal = signal;
    return;
  }
  if (monotonic_s() - received_at_s < same_request_s) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

StopSignals::StopSignals() : is_first_(!std::exchange(is_noting, true)) {
  if (!is_first_) return;
  received_signal = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  // Output under way is not interrupted.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    sigaction(kinds[i], &action, &earlier_[i]);
    // Of a program that nohup has started.
    if (kinds[i] == SIGHUP && earlier_[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &earlier_[i], nullptr);
  }
}

StopSignals::~StopSignals() {
  if (!is_first_) return;
  is_noting = false;
  // What comes behind the first one still means the same, until the program has ended.
  if (received_signal != 0) return;
  for (std::size_t i = 0; i < kinds.size(); ++i) sigaction(kinds[i], &earlier_[i], nullptr);
}

int StopSignals::received() { return received_signal; }

std::string name_of_signal(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGHUP:
      return "SIGHUP";
    case SIGXCPU:
      return "SIGXCPU";
    default:
      return "signal " + std::to_string(signal);
  }
}

}  // namespace grove
