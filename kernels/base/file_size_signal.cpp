#include "kernels/base/file_size_signal.hpp"

#include <csignal>

namespace grove {

IgnoreFileSizeSignal::IgnoreFileSizeSignal() : former_(std::signal(SIGXFSZ, SIG_IGN)) {}

IgnoreFileSizeSignal::~IgnoreFileSizeSignal() {
  if (former_ != SIG_ERR) std::signal(SIGXFSZ, former_);
}

}  // namespace grove
