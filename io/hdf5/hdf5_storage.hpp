// Whether the numbers of a dataset are in its file. HDF5 reads what was never written as zeros, without a word.
#pragma once

#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// Throws DataError, which names file and dataset, unless every number of the dataset has a place in the file, within its length, or, for a
/// virtual dataset, in other HDF5 files that are there. Looks at no numbers: a place that was made, and not written to, cannot be told.
/// Refused, too: numbers in files that are no HDF5 files, and virtual datasets of virtual datasets. Opens the files of a virtual dataset.
void require_stored(const Hdf5Handle& dataset);

/// The other files that the numbers of a virtual dataset are in; none for other datasets. Throws SystemError.
std::vector<std::filesystem::path> other_files_of(const Hdf5Handle& dataset);

}  // namespace grove
