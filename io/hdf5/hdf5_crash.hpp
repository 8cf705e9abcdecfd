// Words for the case that HDF5 itself crashes on a damaged file.
#pragma once

#include <filesystem>

namespace grove {

/// While files are open for reading, a crash of the process is put down to them: HDF5 1.10 has no checksums of old files' metadata, and
/// does not survive all damage to it. The process then ends with the exit code of a DataError and one line that names the file opened last,
/// instead of a bare signal. Not under sanitizers, which say more.
void begin_reading_hdf5(const std::filesystem::path& path);
/// For each begin_reading_hdf5(). After the last one the signals do again what they did before.
void end_reading_hdf5();

}  // namespace grove
