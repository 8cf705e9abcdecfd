#include "kernels/base/error.hpp"

#include <sys/resource.h>

#include <new>
#include <system_error>

namespace grove {

int exit_code_of(const std::exception& error) noexcept {
  if (const auto* agreed = dynamic_cast<const AgreedError*>(&error)) return agreed->exit_code();
  if (dynamic_cast<const ConfigError*>(&error)) return exit_code::setting;
  if (dynamic_cast<const DataError*>(&error)) return exit_code::data;
  if (dynamic_cast<const SystemError*>(&error)) return exit_code::system;
  if (dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const std::system_error*>(&error)) return exit_code::system;
  return exit_code::defect;
}

std::string sentence_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) {
    rlimit limit{};
    const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    const std::string raise = "or what 'ulimit -v' allows, " + std::to_string(limit.rlim_cur >> 20) + " MiB, is used up: raise it, ";
    return "the host is out of memory" + (is_limited ? ", " + raise + "or " : "; ") + more_host_memory;
  }
  if (dynamic_cast<const Error*>(&error) || dynamic_cast<const std::system_error*>(&error)) return error.what();
  return std::string("a defect of Grove: ") + error.what() + "; please report it, with the configuration";
}

}  // namespace grove
