#include "src/view/run_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace grove {

namespace {

FileFacts facts_of(const std::string& name, const struct stat& status) {
  return {name, static_cast<std::uint64_t>(status.st_size), std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

/// Names whose numbers have more digits come later.
bool comes_before(const FileFacts& a, const FileFacts& b) {
  return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
}

}  // namespace

OpenFile::OpenFile(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

OpenFile::OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)) {}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileFacts OpenFile::facts() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw SystemError(name_ + ": cannot be looked at: " + std::strerror(errno));
  return facts_of(name_, status);
}

std::filesystem::path OpenFile::way() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_); }

std::string OpenFile::read(std::uint64_t at, std::size_t most) const {
  std::string bytes(most, '\0');
  std::size_t done = 0;
  while (done < most) {
    const ssize_t got = ::pread(descriptor_, bytes.data() + done, most - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(name_ + ": cannot be read: " + std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

std::string FileFacts::tag() const { return fmt::format("\"{:x}-{:x}\"", size, changed_ns); }

RunFiles::RunFiles(const std::filesystem::path& directory) : directory_(std::filesystem::absolute(directory).lexically_normal()) {
  // "output/" is "output".
  if (!directory_.has_filename()) directory_ = directory_.parent_path();
}

bool RunFiles::is_there() const {
  std::error_code ignored;
  return std::filesystem::is_directory(directory_, ignored);
}

std::vector<FileFacts> RunFiles::list() const {
  std::vector<FileFacts> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory_, failure), end; !failure && entry != end; entry.increment(failure)) {
    struct stat status {};
    if (::lstat(entry->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
      found.push_back(facts_of(entry->path().filename().string(), status));
  }
  if (failure == std::errc::no_such_file_or_directory || failure == std::errc::not_a_directory) return {};
  if (failure) throw SystemError(directory_.string() + ": cannot be read: " + failure.message());
  std::sort(found.begin(), found.end(), comes_before);
  return found;
}

OpenFile RunFiles::open(const std::string& name) const {
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
    throw FileRefused("only files of the run's directory are shown");
  if (!is_there()) throw FileNotThere(directory_.string() + ": is not there");
  // O_NONBLOCK: to open a pipe does not wait for its writer.
  const int file = ::open((directory_ / name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const int mistake = errno;
  if (file < 0 && mistake == ENOENT) throw FileNotThere(name + ": is not there, or no longer");
  if (file < 0 && mistake == ELOOP) throw FileRefused(name + ": is a link; links are not followed");
  if (file < 0) throw SystemError(name + ": cannot be opened: " + std::strerror(mistake));
  OpenFile opened(file, name);
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) throw FileRefused(name + ": is not a regular file");
  return opened;
}

RunLock RunFiles::lock() const {
  const int descriptor = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return RunLock::unknown;
  const OpenFile directory(descriptor, directory_.string());
  // A run that begins at this moment tries again until the lock is free, which it is when the descriptor is closed.
  const bool is_held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (is_held) has_been_held_ = true;
  return is_held ? RunLock::held : has_been_held_ ? RunLock::given_back : RunLock::unknown;
}

}  // namespace grove
