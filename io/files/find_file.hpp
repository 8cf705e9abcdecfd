// Which file a user means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace grove {

/// The file of that name. For a snapshot that is split over several files and named without a number, the first of them (snapshot_003 or
/// snapshot_003.hdf5 -> snapshot_003.0.hdf5 or snapshot_003.0). For a directory, the file of the one snapshot in it. Not collective.
/// @throws DataError when there is no such file, or several snapshots in the directory
std::filesystem::path find_file(const std::filesystem::path& path);

/// Adds a note when the file lies beside `path` whose number follows those of a snapshot of `files` files, of which `path` is one. Not
/// collective.
void add_note_on_stray_file(const std::filesystem::path& path, std::uint64_t files, std::vector<std::string>& notes);

/// True when `file` is one of the files that find_file(input) means, under any name. False where one of them is not there. Not collective.
bool is_file_of(const std::filesystem::path& file, const std::filesystem::path& input);

}  // namespace grove
