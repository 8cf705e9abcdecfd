#include "kernels/space/error.hpp"

namespace grove {

int exit_code_of(const std::exception& error) noexcept {
  if (const auto* agreed = dynamic_cast<const AgreedError*>(&error)) return agreed->exit_code();
  if (dynamic_cast<const ConfigError*>(&error)) return 2;
  if (dynamic_cast<const DataError*>(&error)) return 3;
  if (dynamic_cast<const SystemError*>(&error)) return 4;
  return 1;
}

}  // namespace grove
