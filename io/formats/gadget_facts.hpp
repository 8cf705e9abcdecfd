// What a GADGET-like HDF5 file says about the universe of its particles, their softening, and the names of its components.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/formats/cosmology.hpp"
#include "io/formats/reader.hpp"
#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// The facts that GADGET, AREPO, GIZMO and SWIFT keep in /Header, /Parameters, /Config and /Cosmology. `counts`: of the whole snapshot.
/// Throws DataError.
HeaderFacts read_header_facts(const Hdf5Handle& file, const std::array<std::uint64_t, particle_type_count>& counts);

/// The softening lengths in the parameters of the run that wrote the file, and in datasets of the types that `counts` has particles of.
/// Reads these datasets. Throws DataError.
std::vector<FileSoftening> read_softenings(const Hdf5Handle& file, const std::array<std::uint64_t, particle_type_count>& counts);

/// As above, without the datasets.
std::vector<FileSoftening> read_softening_parameters(const Hdf5Handle& file, const std::array<std::uint64_t, particle_type_count>& counts);

/// The attribute ComponentName of a group of particles, in one line fit for a terminal (printable_line()), whole; nothing when there is
/// none. Throws DataError when it is too long.
std::optional<std::string> read_component_name(const Hdf5Handle& group);

/// The names of all groups of particles; usual names where there are none. Throws DataError.
ComponentNames read_component_names(const Hdf5Handle& file);

}  // namespace grove
