// Which HDF5 files Grove has written.
#pragma once

#include <filesystem>

namespace grove {

/// Whether a file begins as a snapshot or a checkpoint of Grove, complete or not. Reads 256 KiB at most, without HDF5. Not collective.
bool begins_as_hdf5_of_grove(const std::filesystem::path& path);

}  // namespace grove
