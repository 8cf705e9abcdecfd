// Why a file cannot be written. The program's own fallocate() stands for that of a file system with a quota.
#include "io/files/partial_file.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "kernels/base/error.hpp"
#include "tests/support/temporary_directory.hpp"

namespace {

int reserve_error = 0;

}  // namespace

extern "C" int fallocate(int file, int mode, off_t offset, off_t length) noexcept {
  if (reserve_error == 0) return static_cast<int>(syscall(SYS_fallocate, file, mode, offset, length));
  errno = reserve_error;
  return -1;
}

namespace grove {
namespace {

std::string error_of_create(const std::filesystem::path& path, int error) {
  reserve_error = error;
  std::string message;
  try {
    create_with_room(path, "the beginning", 1000);
  } catch (const SystemError& failure) {
    message = failure.what();
  }
  reserve_error = 0;
  return message;
}

TEST(CreateWithRoom, NamesTheFileAndWhatIsFull) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("snapshot_0000.hdf5.partial");
  EXPECT_EQ(error_of_create(path, 0), "");
  EXPECT_EQ(std::filesystem::file_size(path), 1000U);
  EXPECT_EQ(error_of_create(path, ENOSPC), path + ": no room for 1000 bytes: No space left on device");
  EXPECT_EQ(error_of_create(path, EDQUOT),
            path +
                ": no room for 1000 bytes: Disk quota exceeded (the quota of this user or group is used up, and not the disk; 'quota -s' "
                "shows it)");
}

}  // namespace
}  // namespace grove
