// The seam for input formats: a new one is a file with the three functions below and one line in the table of input_format.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "decomposition/communicator.hpp"
#include "io/reader.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The beginning of a file, by which its format is recognised.
struct FileHead {
  std::uint64_t size = 0;  ///< of the whole file, bytes
  std::string bytes;       ///< the first 4096 bytes, or all
};

/// One field of a file, for `grove info`.
struct FieldDescription {
  std::string name;   ///< e.g. "PartType1/Coordinates"
  std::string type;   ///< "f4", "u8", "text", ...
  std::string shape;  ///< e.g. "10240 x 3"
};

/// A format that Grove reads.
struct InputFormat {
  const char* name;        ///< shown to the user
  const char* extensions;  ///< each with its dot, separated by blanks; decide when no format recognises the content
  /// Whether a file that starts like this is of the format, even if it is damaged further on. Not collective, does not throw.
  bool (*recognises)(const FileHead& head);
  /// Reads this rank's rows as read_particles says and fills in `info` at least on the root. Collective; throws AgreedError.
  ParticleSet (*read)(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info);
  /// The fields in the file, or in all files of the snapshot. Not collective; throws DataError.
  std::vector<FieldDescription> (*fields)(const std::filesystem::path& path);
  /// Fills in what the file says of itself, without its particles: time, units, G, origin. Null for formats that say nothing of units. Not
  /// collective; throws DataError.
  void (*info)(const std::filesystem::path& path, ReadInfo& info) = nullptr;
};

/// All formats, in the order in which they are tried.
std::span<const InputFormat> input_formats();

/// A file that exists and its format.
struct DetectedFile {
  std::filesystem::path path;
  const InputFormat* format = nullptr;
};

/// Finds the file meant by `path`: the file of that name or, for a split snapshot that is named without a number, the first of its files
/// (snapshot_003 or snapshot_003.hdf5 -> snapshot_003.0.hdf5). Not collective.
/// @throws DataError when there is no such file, it cannot be read or is of no known format
DetectedFile detect_format(const std::filesystem::path& path);

}  // namespace grove
