// What a run says that goes on although something could not be written.
#pragma once

#include <exception>

namespace grove {

/// One line on standard error. Not collective: one rank says it.
void say_that_the_run_goes_on(const std::exception& error);

}  // namespace grove
