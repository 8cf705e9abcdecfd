// The seam for input formats: a new one is a source file with a function that returns an InputFormat, and its declaration and row in
// input_format.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/read_info.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The beginning of a file, by which its format is recognised.
struct FileHead {
  std::uint64_t size = 0;  ///< of the whole file, bytes
  std::string bytes;       ///< the first 4096 bytes, or all
};

/// Reads it. Throws DataError when the file cannot be opened.
FileHead read_head(const std::filesystem::path& path);

/// One field of a file, for `grove info`.
struct FieldDescription {
  std::string name;   ///< e.g. "PartType1/Coordinates"
  std::string type;   ///< "f4", "u8", "text", ...
  std::string shape;  ///< e.g. "10240 x 3"
};

/// An attribute of a file, for `grove info --all`; fit for a terminal.
struct FileAttribute {
  std::string object;  ///< e.g. "/Header"
  std::string name;    ///< e.g. "BoxSize"
  std::string value;
};

/// A format that Grove reads.
struct InputFormat {
  const char* name = "";        ///< shown to the user
  const char* extensions = "";  ///< with dots, separated by blanks; decide if no format recognises the content
  /// Whether a file that starts like this is of the format, even if it is damaged later on. Not collective, does not throw.
  bool (*recognises)(const FileHead& head) = nullptr;
  /// Reads this rank's rows as read_particles says and fills in `info` at least on the root. Collective; throws AgreedError.
  ParticleSet (*read)(const std::filesystem::path& path, const FieldTablePtr& fields, const Communicator& comm, ReadInfo& info) = nullptr;
  /// The fields in the file, or in all files of the snapshot. Not collective; throws DataError.
  std::vector<FieldDescription> (*fields)(const std::filesystem::path& path) = nullptr;
  /// All attributes of the file; null for formats that have none. Not collective; throws DataError.
  std::vector<FileAttribute> (*attributes)(const std::filesystem::path& path) = nullptr;
  /// As `read`, with columns as the user lists them; null for formats that have no columns.
  ParticleSet (*read_columns)(const std::filesystem::path& path, const std::string& columns, const FieldTablePtr& fields,
                              const Communicator& comm, ReadInfo& info) = nullptr;
  /// As `fields`, with columns as the user lists them; null for formats that have no columns.
  std::vector<FieldDescription> (*fields_of_columns)(const std::filesystem::path& path, const std::string& columns) = nullptr;
  /// Reads time, units, G and origin, without particles. Null for formats without units. Not collective; throws DataError.
  void (*info)(const std::filesystem::path& path, ReadInfo& info) = nullptr;
};

/// All formats, in the order in which they are tried.
const std::vector<InputFormat>& input_formats();

/// An existing file and its format.
struct DetectedFile {
  std::filesystem::path path;
  const InputFormat* format = nullptr;
};

/// The file that find_file() finds, and its format. Not collective.
/// @throws DataError if there is no such file, it cannot be read or its format is unknown
DetectedFile detect_format(const std::filesystem::path& path);

/// The work of look_task (io/hdf5/hdf5_apart.hpp): reads what a run and `grove info` read of an HDF5 file, except the particles' numbers.
/// Returns nothing.
std::string look_at_gadget(const std::filesystem::path& path, const std::string& unused);

}  // namespace grove
