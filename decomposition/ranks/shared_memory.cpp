#include "decomposition/ranks/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/file_size_signal.hpp"

namespace grove {

namespace {

[[noreturn]] void fail(std::size_t bytes, int code) {
  const std::string reason = code == EFBIG ? "more than the limit on file sizes, ulimit -f, which holds for it, too" : std::strerror(code);
  throw SystemError("the host is out of memory that ranks share: " + std::to_string(bytes >> 20) + " MiB more wanted (" + reason + "); " +
                    more_host_memory);
}

/// Takes all pages of a file in memory: a page that is lacking later would end the process. Returns the errno.
int take_pages(int file, std::size_t bytes) {
  const IgnoreFileSizeSignal ignore;
  int code = EINTR;  // on older kernels, any signal that comes meanwhile
  while (code == EINTR) code = posix_fallocate(file, 0, static_cast<off_t>(bytes));
  return code;
}

/// Null if it fails.
std::byte* map(int file, std::size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

bool is_named(const struct stat& found, const SharedMemory::Name& name) {
  return S_ISREG(found.st_mode) && found.st_dev == name.device && found.st_ino == name.inode &&
         static_cast<std::uint64_t>(found.st_size) == name.bytes;
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  file_ = memfd_create("grove", MFD_CLOEXEC);
  if (file_ < 0) fail(bytes, errno);
  int code = take_pages(file_, bytes);
  if (code == 0) {
    data_ = map(file_, bytes);
    code = errno;
  }
  if (data_) return;
  close(file_);
  fail(bytes, code);
}

std::optional<SharedMemory> SharedMemory::open(const Name& name) {
  const std::string path = "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);
  // In another container the path may be that of a terminal or a pipe, which must not be opened.
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 || !is_named(found, name)) return std::nullopt;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  SharedMemory memory;
  if (fstat(file, &found) == 0 && is_named(found, name)) memory.data_ = map(file, name.bytes);
  close(file);
  if (!memory.data_) return std::nullopt;
  memory.bytes_ = name.bytes;
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(file_, other.file_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_) munmap(data_, bytes_);
  if (file_ >= 0) close(file_);
}

SharedMemory::Name SharedMemory::name() const {
  struct stat found {};
  if (fstat(file_, &found) != 0) fail(bytes_, errno);
  return {static_cast<std::int32_t>(getpid()), file_, found.st_dev, found.st_ino, bytes_};
}

}  // namespace grove
