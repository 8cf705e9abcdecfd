// Whether the numbers of a dataset are in its file: HDF5 silently reads zeros where nothing was written.
#pragma once

#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// Throws DataError, which names file and dataset, unless every number of the dataset has space in the file or, for a virtual dataset, in
/// other HDF5 files that exist. Reads no numbers: allocated but unwritten space is not noticed. Also refused: numbers in files that are not
/// HDF5, and virtual datasets of virtual datasets. Opens the files of a virtual dataset.
void require_stored(const Hdf5Handle& dataset);

/// The other files that have the numbers of a virtual dataset; none for other datasets. Throws SystemError.
std::vector<std::filesystem::path> other_files_of(const Hdf5Handle& dataset);

}  // namespace grove
