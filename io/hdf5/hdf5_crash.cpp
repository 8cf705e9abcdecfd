#include "io/hdf5/hdf5_crash.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string>

#include "io/files/printable.hpp"
#include "kernels/base/error.hpp"

namespace grove {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// The C library aborts where it finds the heap or the stack destroyed.
constexpr std::array kinds{SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
// Prepared for the handler, which may call almost nothing.
int open_files = 0;
char words[1024];
std::size_t words_length = 0;
// An endless recursion leaves no stack.
alignas(16) char stack_of_handler[16384];
std::array<struct sigaction, kinds.size()> earlier;
stack_t earlier_stack;

extern "C" void end_with_words(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, words, words_length);
  _exit(exit_code::data);
}

}  // namespace

void begin_reading_hdf5(const std::filesystem::path& path) {
  if (sanitized) return;
  const std::string text =
      "grove: error: " + printable_line(path.string(), 700) + ": HDF5 crashed while it read the file, which is probably damaged\n";
  words_length = std::min(text.size(), sizeof(words));
  std::memcpy(words, text.data(), words_length);
  if (open_files++ > 0) return;
  stack_t stack{};
  stack.ss_sp = stack_of_handler;
  stack.ss_size = sizeof(stack_of_handler);
  sigaltstack(&stack, &earlier_stack);
  struct sigaction action = {};
  action.sa_handler = end_with_words;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < kinds.size(); ++i) sigaction(kinds[i], &action, &earlier[i]);
}

void end_reading_hdf5() {
  if (sanitized || --open_files > 0) return;
  for (std::size_t i = 0; i < kinds.size(); ++i) sigaction(kinds[i], &earlier[i], nullptr);
  sigaltstack(&earlier_stack, nullptr);
}

}  // namespace grove
