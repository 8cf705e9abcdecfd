// What is in a file of particles, in lines for a terminal.
#pragma once

#include <filesystem>
#include <string>

#include "io/snapshots/file_summary.hpp"

namespace grove {

/// The most needed in a dozen lines: format, origin, time, units, components with their particles and masses, extent, notes.
std::string short_description(const FileSummary& summary);

/// Besides, all that the file says: fields with type and shape, centre of mass, the configuration that made it, softening lengths, every
/// attribute.
std::string full_description(const FileSummary& summary);

/// The same of a checkpoint. The full one has the values of its state by name; of long ones their length. Not collective; throws DataError.
std::string describe_checkpoint(const std::filesystem::path& path, bool is_full);

/// The full description of a file of any input format, or of a checkpoint. Reads it. Not collective, but MPI must be initialised.
/// @throws AgreedError, DataError for files that cannot be read
std::string describe_file(const std::filesystem::path& path);

}  // namespace grove
