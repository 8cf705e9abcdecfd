// Lines for the user beside the results.
#pragma once

#include <cstdio>
#include <string>

namespace grove {

/// Prints a line on standard error. That it cannot be written, because its reader has gone, ends nothing.
inline void say_on_stderr(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace grove
