// Files of other programs that Grove recognises but does not read: the message says how to convert them.
#pragma once

#include <filesystem>
#include <string_view>

namespace grove {

/// Throws DataError, with a command that converts the file, if `bytes`, its beginning, are those of such a format. A new one is a row in
/// the table of foreign_format.cpp. Not collective.
void refuse_foreign_format(const std::filesystem::path& path, std::string_view bytes);

/// The same for an HDF5 file without GADGET's header.
void refuse_foreign_hdf5(const std::filesystem::path& path);

}  // namespace grove
