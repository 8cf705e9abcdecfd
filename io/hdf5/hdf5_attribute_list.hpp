// Every attribute of an HDF5 file, as text.
#pragma once

#include <vector>

#include "io/formats/input_format.hpp"
#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// The attributes of all groups and datasets of a file, by object. Links into other files are not followed. Values are fit for a terminal;
/// of long ones the beginning. Throws SystemError for what HDF5 cannot read.
std::vector<FileAttribute> list_attributes(const Hdf5Handle& file);

}  // namespace grove
