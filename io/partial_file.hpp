// Files that appear under their name only when they are complete.
#pragma once

#include <cstdint>
#include <filesystem>

namespace grove {

/// `final_name`.partial: where a file is made before it gets its name.
std::filesystem::path partial_name(const std::filesystem::path& final_name);

/// Makes sure that the disk has room for a file of its present size, so that writing into it cannot fail for want of it. Does
/// nothing on file systems that cannot promise that. Throws SystemError.
void reserve_space(const std::filesystem::path& path);

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
