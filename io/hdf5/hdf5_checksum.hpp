// Checksums of the numbers of a dataset, kept in an attribute of the dataset.
#pragma once

#include <cstdint>
#include <optional>

#include "io/files/checksum.hpp"
#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// The attribute: u4, the CRC-32 of zlib of all numbers, in the order and the type of the file, not compressed.
inline constexpr const char* checksum_attribute = "Checksum_CRC32";

/// Writes the attribute. Of a file that all ranks write, it must exist, and all ranks give the same value. Throws SystemError.
void write_checksum(const Hdf5Handle& dataset, std::uint32_t value);

/// What the attribute says; nothing without it. Throws DataError if it is no count.
std::optional<std::uint32_t> recorded_checksum(const Hdf5Handle& dataset);

/// Reads rows [first, first + count) and returns their checksum as they are in the file. Throws SystemError.
Checksum checksum_of_rows(const Hdf5Handle& dataset, std::uint64_t first, std::uint64_t count);
/// The same of rows that are in memory as `memory_type`: they are read once more only if they have another type in the file.
Checksum checksum_of_rows(const Hdf5Handle& dataset, std::uint64_t first, std::uint64_t count, hid_t memory_type, const void* values);

/// Throws DataError, which begins with `name`, for a dataset whose numbers have another checksum than `recorded`.
void require_checksum(const Checksum& numbers, std::uint32_t recorded, const std::string& name);

}  // namespace grove
