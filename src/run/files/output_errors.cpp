#include "src/run/files/output_errors.hpp"

#include <fmt/format.h>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/error.hpp"
#include "src/process/standard_error.hpp"

namespace grove {

void say_that_run_continues_without(const std::exception& error) {
  say_on_stderr(fmt::format("\ngrove: {}; the run continues without, as output.on_error says", error.what()));
}

bool succeeds_or_continues(bool continues, const Communicator& comm, const std::function<void()>& work, bool tells) {
  try {
    work();
  } catch (const AgreedError& error) {
    if (!continues) throw;
    if (tells && comm.is_root()) say_that_run_continues_without(error);
    return false;
  }
  return true;
}

}  // namespace grove
