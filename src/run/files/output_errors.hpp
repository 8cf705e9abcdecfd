// What happens when output cannot be written: the run ends, or continues without (output.on_error).
#pragma once

#include <exception>
#include <functional>

namespace grove {

class Communicator;

/// Prints one line to standard error. Not collective.
void say_that_run_continues_without(const std::exception& error);

/// Does `work`, which writes something, on all ranks together, and returns whether it succeeded. Throws what it throws, except an
/// AgreedError where the run `continues` without: the root then prints it, if it `tells`. Collective.
bool succeeds_or_continues(bool continues, const Communicator& comm, const std::function<void()>& work, bool tells = true);

}  // namespace grove
