// What the files of one snapshot must have in common.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// What must be equal in all files of a snapshot that have it: "/Header Time" and its numbers, "/PartType2 ComponentName" and its text.
struct CommonHeader {
  std::filesystem::path path;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::string> texts;
};
CommonHeader read_common_header(const Hdf5Handle& file, const std::filesystem::path& path);

/// Whether the file names any unit.
bool names_units(const CommonHeader& header);

/// Throws DataError, which names both files and both values, if an entry of both differs.
void require_same_header(const CommonHeader& first, const CommonHeader& other);

}  // namespace grove
