// All that `grove info` tells of a file of particles, before it is made text or JSON.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "io/formats/input_format.hpp"
#include "io/formats/reader.hpp"

namespace grove {

/// What follows from the numbers of all particles, code units.
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
  std::vector<FileAttribute> attributes;  ///< of formats that have any
};

/// Reads all particles into the memory of this process, and checks them as a run does that starts from them, ids included. What a run would
/// refuse or take with a note is among the notes if the file as such is sound. Not collective, but MPI must be initialised.
/// @param columns  what the columns of a text table are (io/formats/text_columns.hpp); empty: the file says it
/// @throws AgreedError, DataError for files that cannot be read
FileSummary summarise_file(const std::filesystem::path& path, const std::string& columns = "");

}  // namespace grove
