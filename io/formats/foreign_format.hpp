// Files of other programs that Grove does not read but knows: the message says how to convert them.
#pragma once

#include <filesystem>

#include "io/formats/input_format.hpp"

namespace grove {

/// Throws DataError with a line that converts the file, if it starts like one of a known program whose files are not read. A new one is a
/// row in the table of foreign_format.cpp. Not collective.
void refuse_foreign_format(const std::filesystem::path& path, const FileHead& head);

/// The same for an HDF5 file without GADGET's header.
void refuse_foreign_hdf5(const std::filesystem::path& path);

}  // namespace grove
