// What a run says and does that goes on although something could not be written.
#pragma once

#include <exception>
#include <functional>

namespace grove {

class Communicator;
struct OutputParameters;

/// One line on standard error. Not collective: one rank says it.
void say_that_the_run_goes_on(const std::exception& error);

/// Does `work`, which writes something, on all ranks together, and returns whether it succeeded. Throws what it throws, unless it is an
/// AgreedError and the user wants the run to go on (output.on_error); the root says so then. Collective.
bool succeeds_or_goes_on(const OutputParameters& output, const Communicator& comm, const std::function<void()>& work);

}  // namespace grove
