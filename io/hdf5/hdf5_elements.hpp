// Element types of particle fields as HDF5 knows them.
#pragma once

#include "io/hdf5/hdf5_handles.hpp"
#include "kernels/particles/fields.hpp"

namespace grove {

/// The type in memory of this machine, and in files: little-endian. Both belong to HDF5 and are not closed.
hid_t memory_type_of(ElementType type);
hid_t file_type_of(ElementType type);

}  // namespace grove
