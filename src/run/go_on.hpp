// What a run says that goes on although something could not be written.
#pragma once

#include <cstdio>
#include <exception>

namespace grove {

/// One line on standard error. Not collective: one rank says it.
inline void say_that_the_run_goes_on(const std::exception& error) {
  std::fprintf(stderr, "\ngrove: %s; the run goes on without, as output.on_error says\n", error.what());
  std::fflush(stderr);
}

}  // namespace grove
