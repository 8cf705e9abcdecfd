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

namespace grove {

namespace {

[[noreturn]] void fail(std::size_t bytes, int code) {
  throw SystemError(std::to_string(bytes >> 20) +
                    " MiB of host memory for the other ranks of the node are not to be had: " + std::strerror(code));
}

/// Null if it fails.
std::byte* map(int file, std::size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

bool is_named(int file, const SharedMemory::Name& name) {
  struct stat found {};
  return fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_dev == name.device && found.st_ino == name.inode &&
         static_cast<std::uint64_t>(found.st_size) == name.bytes;
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  file_ = memfd_create("grove", MFD_CLOEXEC);
  if (file_ < 0) fail(bytes, errno);
  // Takes all pages now: a page that is lacking later would end the process.
  if (const int code = posix_fallocate(file_, 0, static_cast<off_t>(bytes)); code != 0) {
    close(file_);
    fail(bytes, code);
  }
  data_ = map(file_, bytes);
  if (!data_) {
    const int code = errno;
    close(file_);
    fail(bytes, code);
  }
}

std::optional<SharedMemory> SharedMemory::open(const Name& name) {
  const std::string path = "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);
  // Without waiting: the path may be another file, a pipe say.
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  SharedMemory memory;
  if (is_named(file, name)) memory.data_ = map(file, name.bytes);
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
