// A checksum of the beginning of a file, appended to it: it covers all metadata of HDF5.
#pragma once

#include <cstdint>
#include <filesystem>

namespace grove {

/// Appends to a complete file the checksum of its first `head_bytes` bytes, or of all if it is shorter. HDF5 ignores it. Throws
/// SystemError.
void seal(const std::filesystem::path& path, std::uint64_t head_bytes);

/// Whether the file ends with a seal, right or wrong. Does not throw.
bool has_seal(const std::filesystem::path& path);

/// Throws DataError, which names the file, if it cannot be opened, has no seal or its head has changed.
void require_seal(const std::filesystem::path& path);

}  // namespace grove
