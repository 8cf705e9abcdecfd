#include "io/files/partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "kernels/base/error.hpp"

namespace grove {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error) {
  throw SystemError(path.string() + ": " + what + ": " + reason_of(error));
}

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail(path, flags & O_CREAT ? "cannot be created" : "cannot be opened", errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(fd_); }
  int get() const { return fd_; }

 private:
  int fd_;
};

void flush(const std::filesystem::path& path, int flags) {
  const Descriptor file(path, flags);
  // Some file systems cannot sync directories and return EINVAL.
  if (fsync(file.get()) != 0 && errno != EINVAL) fail(path, "cannot be flushed to the disk", errno);
}

void write_all(const std::filesystem::path& path, const Descriptor& file, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t now = write(file.get(), bytes.data() + done, bytes.size() - done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) fail(path, "cannot be written", errno);
    done += static_cast<std::size_t>(now);
  }
}

/// Calls `call` with the file if it can be opened.
void advise(const std::filesystem::path& path, int flags, void (*call)(int file)) noexcept {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) return;
  call(file);
  close(file);
}

/// Throws SystemError if anything has the partial name: it may be a user's file, or a link to one.
void require_free_partial(const std::filesystem::path& final_name) {
  std::error_code unknown;
  const std::filesystem::path partial = partial_name(final_name);
  if (std::filesystem::exists(std::filesystem::symlink_status(partial, unknown)))
    throw SystemError(partial.string() + ": cannot be created: something has this name, under which " + final_name.filename().string() +
                      " is made before it gets its own; move it away");
}

/// Flushes the partial file to the disk and gives it its final name; replaces an older file. Throws SystemError.
void publish(const std::filesystem::path& final_name) {
  const std::filesystem::path partial = partial_name(final_name);
  flush_to_disk(partial);
  if (std::rename(partial.c_str(), final_name.c_str()) != 0) fail(final_name, "cannot be given its final name", errno);
  const std::filesystem::path directory = final_name.parent_path();
  flush(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY);
}

}  // namespace

std::string reason_of(int error) {
  const std::string text = std::strerror(error);
  return error == EDQUOT ? text + " (the quota of this user or group is used up, and not the disk; 'quota -s' shows it)" : text;
}

std::filesystem::path partial_name(const std::filesystem::path& final_name) { return final_name.string() + ".partial"; }

void require_place_for(const std::filesystem::path& final_name, const std::string& option) {
  const auto with_place = [&](const std::string& what) { return fmt::format("{} {}: {}", option, final_name.string(), what); };
  std::error_code ignored;
  const std::filesystem::path parent = final_name.parent_path(), directory = parent.empty() ? "." : parent;
  if (!std::filesystem::is_directory(directory, ignored))
    throw SystemError(with_place(fmt::format("no file can be made in {}, which is no directory: make it first", directory.string())));
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    throw SystemError(with_place(fmt::format("no file can be made in {}: {}", directory.string(), reason_of(errno))));
  if (const auto partial = partial_name(final_name); std::filesystem::exists(std::filesystem::symlink_status(partial, ignored)))
    throw ConfigError(with_place(partial.string() + " is there, where the file is made before it gets its name: move it away"));
}

void create_with_room(const std::filesystem::path& path, const std::string& bytes, std::uint64_t size) {
  const Descriptor file(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW);
  write_all(path, file, bytes);
  // Not posix_fallocate, which writes into every block if the file system cannot reserve space.
  int error = fallocate(file.get(), 0, 0, static_cast<off_t>(size)) == 0 ? 0 : errno;
  if (error == EOPNOTSUPP || error == ENOSYS) error = std::filesystem::space(path).available < size ? ENOSPC : 0;
  if (error != 0) fail(path, "no room for " + std::to_string(size) + " bytes", error);
}

void begin_flush(const std::filesystem::path& path) noexcept {
  advise(path, O_RDWR, [](int file) { sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); });
}

void write_whole_file(const std::filesystem::path& final_name, const std::string& bytes) {
  const std::filesystem::path partial = partial_name(final_name);
  require_free_partial(final_name);
  const Descriptor file(partial, O_WRONLY | O_CREAT | O_EXCL);
  try {
    write_all(partial, file, bytes);
    publish(final_name);
  } catch (...) {
    unlink(partial.c_str());
    throw;
  }
}

void write_together(const std::filesystem::path& final_name, const Communicator& comm,
                    const std::function<void(const std::filesystem::path& partial)>& write) {
  const IgnoreFileSizeSignal ignore_signal;
  const std::filesystem::path partial = partial_name(final_name);
  comm.agree([&] {
    if (comm.is_root()) require_free_partial(final_name);
  });
  try {
    write(partial);
    comm.agree([&] {
      if (comm.is_root()) publish(final_name);
    });
  } catch (...) {
    if (comm.is_root()) unlink(partial.c_str());
    throw;
  }
}

void flush_to_disk(const std::filesystem::path& path) { flush(path, O_RDWR); }

void forget_cached(const std::filesystem::path& path) noexcept {
  advise(path, O_RDONLY, [](int file) { posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED); });
}

}  // namespace grove
