// Reading particles from files of several formats, all ranks together.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/cosmology.hpp"
#include "io/formats/validate.hpp"
#include "kernels/base/unit_system.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Softening lengths that a file records of the run that wrote it.
struct FileSoftening {
  std::string what;                ///< where they are, e.g. "PartType1/Softenings"
  double lowest = 0, highest = 0;  ///< code units
  int type = -1;                   ///< of the particles; -1: it does not say

  bool operator==(const FileSoftening&) const = default;
};

/// What a file says about itself besides the particles; the same on all ranks. Empty: the file does not say.
struct ReadInfo {
  std::string format;                                              ///< e.g. "TIPSY binary"
  std::array<std::uint64_t, particle_type_count> count_of_type{};  ///< over all ranks and all files of the snapshot
  ComponentNames components = usual_component_names();             ///< the file's own names, where it has them
  std::optional<double> time;                                      ///< code units
  std::optional<double> box_size;                                  ///< code units
  std::optional<double> G;                                         ///< code units
  std::optional<UnitSystem> units;
  HeaderFacts universe;                   ///< why_not_isolated() judges it
  std::vector<FileSoftening> softenings;  ///< empty: the file does not say
  bool has_n_body_units = false;          ///< the file says so in words; only then all 1 in `units` cannot be cm, g and cm/s
  std::vector<std::string> notes;         ///< what a user should know, one sentence each
  std::vector<std::pair<std::string, std::string>> provenance;  ///< name and text: which code wrote it, how

  std::uint64_t count() const;
};

/// Reads all particles of a file, or of all files of a snapshot that is split over several, of which `path` names one.
/// The format is recognised by content first, by extension second: the table in io/formats/input_format.cpp. Collective.
///
/// Rows are numbered from 0 over the whole snapshot; in HDF5 files by type, within a type by file. Each rank gets the rows
/// [first_of_rank(total, rank, size), first_of_rank(total, rank + 1, size)). Files without ids get the row number as id.
/// @param info    if not null, receives what else the file says
/// @param fields  the table of fields that the particles get; HDF5 files may have those that are read when they are there
/// @param columns what the columns of a text table are (io/formats/text_columns.hpp); empty: the file says it
/// @return this rank's rows; what was not read is empty
/// @throws AgreedError on all ranks naming file, field and the lowest bad row for data that cannot be used. Duplicate ids are
///   not looked for.
ParticleSet read_particles(const std::filesystem::path& path, const Communicator& comm, ReadInfo* info = nullptr,
                           const FieldTablePtr& fields = standard_fields(), const std::string& columns = "");

/// What a file says about itself besides the numbers of its particles, as far as its format says it without them; counts, and softening
/// lengths by type, are those of GADGET's headers and parameters alone.
/// Collective; throws AgreedError for files that cannot be found, read or recognised.
ReadInfo read_info(const std::filesystem::path& path, const Communicator& comm);

}  // namespace grove
