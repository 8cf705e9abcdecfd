// What a GADGET-like HDF5 file says about its time, units, box and origin.
#pragma once

#include "io/hdf5_handles.hpp"
#include "io/reader.hpp"

namespace grove {

/// Reads what a file says about time, units, box, universe, names and origin into `info`, whose counts it takes as those of the snapshot.
/// Throws DataError.
void read_gadget_info(const Hdf5Handle& file, ReadInfo& info);

}  // namespace grove
