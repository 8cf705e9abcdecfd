// A message for crashes of HDF5 itself on damaged files.
#pragma once

#include <filesystem>

namespace grove {

/// While files are open for reading, a crash of the process is attributed to them: HDF5 1.10 has no checksums of old files' metadata and
/// does not survive all damage to it. The process then ends with the exit code of a DataError and one line that names the last opened file,
/// instead of a signal. Not with sanitizers, which say more.
void begin_reading_hdf5(const std::filesystem::path& path);
/// Once for each begin_reading_hdf5(). The last call restores the signal handlers.
void end_reading_hdf5();

}  // namespace grove
