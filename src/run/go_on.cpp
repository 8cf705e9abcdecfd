#include "src/run/go_on.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace grove {

void say_that_the_run_goes_on(const std::exception& error) {
  fmt::print(stderr, "\ngrove: {}; the run goes on without, as output.on_error says\n", error.what());
  std::fflush(stderr);
}

}  // namespace grove
