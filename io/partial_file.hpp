// Files that appear under their name only when they are complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace grove {

/// `final_name`.partial: where a file is made before it gets its name.
std::filesystem::path partial_name(const std::filesystem::path& final_name);

/// Creates a file, or replaces one, that starts with `bytes`, and has the disk set aside room for `size` bytes in all, so that
/// writing them later cannot fail for want of room; of a file system that cannot promise that, as much must be free. Throws
/// SystemError.
void create_with_room(const std::filesystem::path& path, const std::string& bytes, std::uint64_t size);

/// Flushes the partial file to the disk, then gives it its name, replacing a file that has it. Throws SystemError.
void publish(const std::filesystem::path& final_name);

/// Removes a file if it is there. Never throws.
void remove_quietly(const std::filesystem::path& path) noexcept;

/// While it lives, a write beyond the limit on file sizes (ulimit -f) is an error like any other instead of ending the process.
class IgnoreFileSizeSignal {
 public:
  IgnoreFileSizeSignal();
  ~IgnoreFileSizeSignal();
  IgnoreFileSizeSignal(const IgnoreFileSizeSignal&) = delete;
  IgnoreFileSizeSignal& operator=(const IgnoreFileSizeSignal&) = delete;

 private:
  void (*former_)(int);
};

}  // namespace grove
