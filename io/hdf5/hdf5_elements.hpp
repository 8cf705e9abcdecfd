// HDF5's types for the elements of particle fields.
#pragma once

#include "io/hdf5/hdf5_handles.hpp"
#include "kernels/particles/fields.hpp"

namespace grove {

/// The type in files and in memory: little-endian. It belongs to HDF5 and is not closed.
hid_t hdf5_type(ElementType type);

}  // namespace grove
