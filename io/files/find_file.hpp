// Which file a user means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace grove {

/// Whether the name ends in .hdf5 or .h5.
bool has_hdf5_ending(const std::filesystem::path& file);

/// The file of that name. For a snapshot of several files that is named without a number, the first of them (snapshot_003 or
/// snapshot_003.hdf5 -> snapshot_003.0.hdf5 or snapshot_003.0). For a directory, the only snapshot in it. Not collective.
/// @throws DataError when there is no such file, or several snapshots in the directory
std::filesystem::path find_file(const std::filesystem::path& path);

/// The files name.0, name.1, ... of a snapshot of which `path` names one; just this file where `files` is 1.
/// @param ending  what follows the number in the names of files: ".hdf5", or nothing
/// @throws DataError for files that are not there, and, as "path: " + `complaint`, where the name has no number
std::vector<std::filesystem::path> files_of_snapshot(const std::filesystem::path& path, std::uint64_t files, const std::string& ending,
                                                     const std::string& complaint);

/// Adds a note if there is a file with the next number after the `files` files of a snapshot, of which `path` is one. Not collective.
void add_note_on_stray_file(const std::filesystem::path& path, std::uint64_t files, std::vector<std::string>& notes);

/// Whether `file` is, under any name, one of the files of find_file(input). False if either does not exist. Not collective.
bool is_file_of(const std::filesystem::path& file, const std::filesystem::path& input);

}  // namespace grove
