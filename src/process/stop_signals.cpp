#include "src/process/stop_signals.hpp"

#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <utility>

namespace grove {

namespace {

constexpr std::time_t same_request_s = 2;

volatile std::sig_atomic_t received_signal = 0;
volatile std::time_t received_at_s = 0;
/// What the first signal says before it ends the process; null: it is noted.
const char* volatile words_of_end = nullptr;
bool is_noting = false;

constexpr std::array<const char*, StopSignals::kinds.size()> signal_names{"SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGXCPU"};

std::time_t monotonic_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void write_to_stderr(const char* text) {
  // Nothing helps where it cannot be written.
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text, std::strlen(text));
}

[[noreturn]] void end_in_words(int signal, const char* words) {
  if (*words) {
    const auto kind = std::find(StopSignals::kinds.begin(), StopSignals::kinds.end(), signal) - StopSignals::kinds.begin();
    for (const char* const part : {"grove: stopped by ", signal_names[static_cast<std::size_t>(kind)], words, "\n"}) write_to_stderr(part);
  }
  _exit(EX_TEMPFAIL);
}

/// Calls only async-signal-safe functions.
void note(int signal) {
  if (const char* const words = words_of_end) end_in_words(signal, words);
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
  if (is_first_) received_signal = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  // System calls for output are not interrupted.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  // Also within another object: MPI_Init() may have put handlers of its own there meanwhile.
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    sigaction(kinds[i], &action, &earlier_[i]);
    // The program runs under nohup.
    if (kinds[i] == SIGHUP && earlier_[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &earlier_[i], nullptr);
  }
}

StopSignals::~StopSignals() {
  if (!is_first_) return;
  is_noting = false;
  // Further signals of the same request may follow until the program ends.
  if (received_signal != 0) return;
  for (std::size_t i = 0; i < kinds.size(); ++i) sigaction(kinds[i], &earlier_[i], nullptr);
}

int StopSignals::received() { return received_signal; }

void StopSignals::end_at_once(const char* words) { words_of_end = words; }

std::string name_of_signal(int signal) {
  const auto kind = std::find(StopSignals::kinds.begin(), StopSignals::kinds.end(), signal);
  if (kind == StopSignals::kinds.end()) return "signal " + std::to_string(signal);
  return signal_names[static_cast<std::size_t>(kind - StopSignals::kinds.begin())];
}

}  // namespace grove
