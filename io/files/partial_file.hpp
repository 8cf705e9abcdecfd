// Files that get their name only when they are complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "kernels/base/file_size_signal.hpp"

namespace grove {

/// The text of an errno for a message, with advice for quotas.
std::string reason_of(int error);

/// `final_name`.partial: the name of a file while it is written.
std::filesystem::path partial_name(const std::filesystem::path& final_name);

/// Checks that `final_name` can be written by the functions below: that its directory is there and can be written to, and that nothing has
/// its partial name, which may be of another program, or of another running command. `option` names the file in messages. Throws
/// SystemError, ConfigError.
void require_place_for(const std::filesystem::path& final_name, const std::string& option);

/// Creates or replaces a file that starts with `bytes` and reserves `size` bytes for it on the disk, so that later writes do not run out of
/// space. If the file system cannot reserve space, this much must be free. Throws SystemError.
void create_with_room(const std::filesystem::path& path, const std::string& bytes, std::uint64_t size);

/// Starts to write to the disk what this node has written to a file, asynchronously, so that the final flush has less to do. No effect
/// where the system cannot do it.
void begin_flush(const std::filesystem::path& path) noexcept;

/// Waits until a file is on the disk. Throws SystemError.
void flush_to_disk(const std::filesystem::path& path);

/// Drops this node's cached pages of a file, so that it is read from the disk. No effect where the system cannot do it.
void forget_cached(const std::filesystem::path& path) noexcept;

/// Lets all ranks write the partial file of `final_name` by `write`, then flushes it to the disk and gives it its final name, where it
/// replaces an older file. On failure the partial file is removed. Collective; throws AgreedError, also if anything has the partial name:
/// it may be a user's file, or a link to one.
void write_together(const std::filesystem::path& final_name, const Communicator& comm,
                    const std::function<void(const std::filesystem::path& partial)>& write);

/// The same for `bytes`, by one process. Throws SystemError, and then removes the partial file that it made.
void write_whole_file(const std::filesystem::path& final_name, const std::string& bytes);

}  // namespace grove
