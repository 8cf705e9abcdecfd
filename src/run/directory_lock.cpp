#include "src/run/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

/// All ranks of a run that fails end within this time.
constexpr std::chrono::milliseconds longest_wait{10000}, interval{100};

}  // namespace

DirectoryLock::~DirectoryLock() {
  if (directory_ >= 0) ::close(directory_);
}

void DirectoryLock::take(const std::string& directory) {
  if (directory_ >= 0) return;
  directory_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_ < 0) return;
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (::flock(directory_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (std::chrono::steady_clock::now() > end)
      throw SystemError("output.directory = \"" + directory +
                        "\": another run of Grove is writing there; stop it, or name another directory");
    std::this_thread::sleep_for(interval);
  }
}

}  // namespace grove
