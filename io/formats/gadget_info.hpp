// What a GADGET-like HDF5 file says about its time, units, box and origin.
#pragma once

#include "io/formats/reader.hpp"
#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// In /Units of a file whose numbers are in N-body units: 1. The units beside it are a scale for other programs.
inline constexpr const char* n_body_units_attribute = "NBodyUnits";

/// Reads what a file says about time, units, box, universe, names and origin into `info`, whose counts it takes as those of the snapshot.
/// Throws DataError.
void read_gadget_info(const Hdf5Handle& file, ReadInfo& info);

}  // namespace grove
