#include "src/run/stop_signals.hpp"

namespace grove {

namespace {

volatile std::sig_atomic_t received_signal = 0;

void note(int signal) { received_signal = signal; }

}  // namespace

StopSignals::StopSignals() {
  received_signal = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  // The handler is gone after the first signal; output under way is not interrupted.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &earlier_interrupt_);
  sigaction(SIGTERM, &action, &earlier_terminate_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &earlier_interrupt_, nullptr);
  sigaction(SIGTERM, &earlier_terminate_, nullptr);
}

int StopSignals::received() { return received_signal; }

}  // namespace grove
