// Profiles in an HDF5 file.
#pragma once

#include <string>

#include "src/analysis/profile_report.hpp"

namespace grove {

/// The bytes of a file with a group for each snapshot (snapshot_0000, ...), in it one for each component (all, PartType1, ...), in it a
/// dataset for each column with its unit, meaning and size in cgs. The provenance is that of this program. The same bytes for the same
/// numbers. Not collective. Throws SystemError.
std::string profile_file_image(const std::string& name, const ProfileReport& report);

}  // namespace grove
