// What a GADGET-like HDF5 file says besides its particles: time, units, box, universe, softening, names of components, origin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/formats/read_info.hpp"
#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// 1 in /Units of a file in N-body units, whose other attributes are a scale for other programs.
inline constexpr const char* n_body_units_attribute = "NBodyUnits";
/// The group of the particles of a type: "PartTypeK".
inline std::string gadget_group(int type) { return "PartType" + std::to_string(type); }

/// Reads time, units, box, universe, names and origin into `info`, whose counts must be those of the snapshot. Throws DataError.
void read_gadget_info(const Hdf5Handle& file, ReadInfo& info);

/// The softening lengths in the parameters of the run that wrote the file, and in datasets, which are read. For the types that `counts` has
/// particles of. Throws DataError.
std::vector<FileSoftening> read_softenings(const Hdf5Handle& file, const TypeCounts& counts);

/// As above, without the datasets.
std::vector<FileSoftening> read_softening_parameters(const Hdf5Handle& file, const TypeCounts& counts);

/// The attribute ComponentName of a group of particles, as printable_line() but not shortened; nothing if there is none. Throws DataError
/// if it is too long.
std::optional<std::string> read_component_name(const Hdf5Handle& group);

}  // namespace grove
