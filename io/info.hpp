// What is in a file of particles, for `grove info`.
#pragma once

#include <filesystem>
#include <string>

namespace grove {

/// A description of a file of any input format, in lines for a terminal: format, time, units, counts by type, fields with type and
/// shape, extent, mass, centre of mass, where the file comes from. Reads all particles into the memory of this process, which
/// thereby checks them as read_particles does. Not collective, but MPI must be initialised.
/// @throws AgreedError, DataError for files that cannot be read
std::string describe_file(const std::filesystem::path& path);

}  // namespace grove
