// The files of one snapshot: their names, and what they must have in common.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// name.0.hdf5, name.1.hdf5, ... of which `path` names one; just this file where `pieces` is 1. Throws DataError for names without a number
/// and files that are not there.
std::vector<std::filesystem::path> files_of_snapshot(const std::filesystem::path& path, std::uint64_t pieces);

/// What all files of a snapshot say alike, as far as they say it: "/Header Time" and its numbers, "/PartType2 ComponentName" and its text.
struct CommonHeader {
  std::filesystem::path path;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> texts;
};
CommonHeader read_common_header(const Hdf5Handle& file, const std::filesystem::path& path);

/// Whether the file names any unit.
bool names_units(const CommonHeader& header);

/// Throws DataError, which names both files and both values, if what both say is not the same.
void require_same_header(const CommonHeader& first, const CommonHeader& other);

}  // namespace grove
