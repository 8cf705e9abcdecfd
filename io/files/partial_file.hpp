// Files that appear under their name only when they are complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace grove {

/// Why a call of the system failed, for a message: the text of `error` (an errno), and what to look at where that is a quota.
std::string reason_of(int error);

/// `final_name`.partial: where a file is made before it gets its name.
std::filesystem::path partial_name(const std::filesystem::path& final_name);

/// Throws SystemError where anything has the partial name of a file that is to be made: it may be a user's, or a link to such a file. To be
/// asked before a file is made, whose partial file is removed where that fails.
void require_free_partial(const std::filesystem::path& final_name);

/// Creates or replaces a file that starts with `bytes`, and reserves `size` bytes for it on the disk, so that later writes cannot fail for
/// lack of space. If the file system cannot reserve space, so much must be free. Throws SystemError.
void create_with_room(const std::filesystem::path& path, const std::string& bytes, std::uint64_t size);

/// Lets the system begin to write to the disk what this node has written to a file, and does not wait for it: the flush at the end then has
/// less to do. Without effect where the system or the file system has no such call.
void begin_flush(const std::filesystem::path& path) noexcept;

/// Waits until a file is on the disk. Throws SystemError.
void flush_to_disk(const std::filesystem::path& path);

/// Lets the system forget what this node has in memory of a file that is on the disk, so that it is read from there. Without effect where
/// the system does not do so.
void forget_cached(const std::filesystem::path& path) noexcept;

/// Flushes the partial file to the disk, then gives it its final name. Replaces an older file of that name. Throws SystemError.
void publish(const std::filesystem::path& final_name);

/// Makes a file of `bytes` under its partial name, which nothing may have, and publishes it. Throws SystemError; then there is no partial
/// file, unless it was there before.
void write_whole_file(const std::filesystem::path& final_name, const std::string& bytes);

/// Removes a file if it is there. Never throws.
void remove_quietly(const std::filesystem::path& path) noexcept;

/// While an object lives, a write beyond the limit on file sizes (ulimit -f) fails with an error instead of ending the process.
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
