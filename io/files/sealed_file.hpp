// A checksum of the beginning of a file, at its end: it covers all metadata of HDF5, and the rest that is not a dataset, at once.
#pragma once

#include <cstdint>
#include <filesystem>

namespace grove {

/// Appends to a complete file the checksum of its first `head_bytes` bytes, or of all if it is shorter. HDF5 does not look at what it finds
/// there. Throws SystemError.
void seal(const std::filesystem::path& path, std::uint64_t head_bytes);

/// Whether the file ends with a seal, right or wrong. Does not throw.
bool has_seal(const std::filesystem::path& path);

/// Throws DataError, which names the file, unless it has been sealed and its head is as it was then; also when it cannot be opened.
void require_seal(const std::filesystem::path& path);

}  // namespace grove
