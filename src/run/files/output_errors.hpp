// What happens when output cannot be written: the run ends, or continues without (output.on_error).
#pragma once

#include <exception>
#include <functional>

namespace grove {

class Communicator;
struct OutputParameters;

/// Prints one line to standard error. Not collective.
void say_that_run_continues_without(const std::exception& error);

/// Does `work`, which writes something, on all ranks together, and returns whether it succeeded. Throws what it throws, except an
/// AgreedError where output.on_error is "continue": the root then prints it. Collective.
bool succeeds_or_continues(const OutputParameters& output, const Communicator& comm, const std::function<void()>& work);

}  // namespace grove
