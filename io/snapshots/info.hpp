// What `grove info` shows of a file of particles, as values and as text.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "io/formats/input_format.hpp"

namespace grove {

/// Sums and extremes over all particles, in code units.
struct ParticleTotals {
  double mass = 0;
  std::array<double, 3> low{}, high{}, centre_of_mass{}, velocity{};
  std::array<double, particle_type_count> mass_of_type{};
};

/// A file of particles, or all files of a snapshot.
struct FileSummary {
  std::filesystem::path path;
  ReadInfo info;
  ParticleTotals totals;
  std::vector<FieldDescription> fields;
  std::vector<FileAttribute> attributes;  ///< of formats that have attributes
};

/// Reads all particles into the memory of this process and checks them, ids included, as a run would. The notes also say what a run would
/// refuse about a valid file. Not collective, but MPI must be initialised.
/// @param columns  what the columns of a text table are (io/formats/text_columns.hpp); empty: the file says it
/// @throws AgreedError, DataError for files that cannot be read
FileSummary summarise_file(const std::filesystem::path& path, const std::string& columns = "");

/// A dozen lines: format, origin, time, units, components with their particles and masses, extent, notes.
std::string short_description(const FileSummary& summary);

/// Also fields with type and shape, centre of mass, the configuration that made the file, softening lengths, all attributes.
std::string full_description(const FileSummary& summary);

/// The same for a checkpoint. The full text has the values of its state by name, or the length of long ones. Not collective; throws
/// DataError.
std::string describe_checkpoint(const std::filesystem::path& path, bool is_full);

}  // namespace grove
