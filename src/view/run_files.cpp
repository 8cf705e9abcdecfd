#include "src/view/run_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace grove {

namespace {

/// A descriptor that is closed at the end of its block.
struct Descriptor {
  int number = -1;
  Descriptor(int opened) : number(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

int open_directory(const std::filesystem::path& directory) { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

FileFacts facts_of(const std::string& name, const struct stat& status) {
  return {name, static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim)};
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

std::filesystem::path OpenFile::way() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

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
  const int descriptor = open_directory(directory_);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    throw SystemError(directory_.string() + ": cannot be read: " + std::strerror(errno));
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(descriptor), ::closedir);
  if (!stream) {
    const int mistake = errno;
    ::close(descriptor);  // which a stream would have taken over
    throw SystemError(directory_.string() + ": cannot be read: " + std::strerror(mistake));
  }
  std::vector<FileFacts> found;
  for (;;) {
    errno = 0;  // by which a failure differs from the end
    const dirent* const entry = ::readdir(stream.get());
    if (!entry && errno != 0) throw SystemError(directory_.string() + ": cannot be read: " + std::strerror(errno));
    if (!entry) break;
    struct stat status {};
    if (::fstatat(descriptor, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    found.push_back(facts_of(entry->d_name, status));
  }
  std::sort(found.begin(), found.end(), comes_before);
  return found;
}

OpenFile RunFiles::open(const std::string& name) const {
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
    throw FileRefused("only files of the run's directory are shown");
  const Descriptor directory(open_directory(directory_));
  if (directory.number < 0) throw FileNotThere(directory_.string() + ": is not there");
  // Nothing waits for whoever writes into a pipe.
  const int file = ::openat(directory.number, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const int mistake = errno;
  if (file < 0 && mistake == ENOENT) throw FileNotThere(name + ": is not there, or no longer");
  if (file < 0 && mistake == ELOOP) throw FileRefused(name + ": is a link; links are not followed");
  if (file < 0) throw SystemError(name + ": cannot be opened: " + std::strerror(mistake));
  OpenFile opened(file, name);
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) throw FileRefused(name + ": is no regular file");
  return opened;
}

RunLock RunFiles::lock() const {
  const Descriptor directory(open_directory(directory_));
  if (directory.number < 0) return RunLock::unknown;
  // A run that begins at this moment tries again until the lock is free, which it is when the descriptor is closed.
  const bool is_held = ::flock(directory.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (is_held) has_been_held_ = true;
  return is_held ? RunLock::held : has_been_held_ ? RunLock::given_back : RunLock::unknown;
}

}  // namespace grove
