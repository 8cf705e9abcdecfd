// Reading HDF5 files in a process of its own: on some damaged files HDF5 crashes or never ends.
//
// The program starts itself. It does not fork: a fork after MPI_Init would copy memory that a network or a GPU uses.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace grove {

/// What another process can do for this one: make a text or bytes from a file.
struct FileTask {
  const char* name;
  std::string (*work)(const std::filesystem::path& path, const std::string& argument);
};
/// The name of the task that reads all metadata of a file, for require_harmless().
inline constexpr const char* look_task = "look";

/// Called by main() first. If the process was started for a task, does it and ends the process. Otherwise in_own_process() can start
/// this program again from now on.
void carry_out_file_task(int argc, char** argv, std::span<const FileTask> tasks);

/// What a task makes of a file, in a process of its own; nothing if this program has no tasks, or the system starts no process. Not
/// collective.
/// @param stop  on request, it gives up with a SystemError
/// @throws DataError for a file on which HDF5 crashes, or takes more than 5 s of processor time and 1 s for each 100 MB of the files of its
/// kind beside it, at most 300 s; else as the task
std::optional<std::string> in_own_process(const char* task, const std::filesystem::path& path, const std::string& argument = "",
                                          const std::stop_token& stop = {});

/// Has a file that Grove has not written looked at in a process of its own. Throws DataError if HDF5 crashes on its metadata, or never
/// ends. Other complaints are left to the one who reads it. Not collective: one rank does it for all.
void require_harmless(const std::filesystem::path& path);

}  // namespace grove
