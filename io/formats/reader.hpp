// Reading particles from files of any known format.
#pragma once

#include <filesystem>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/read_info.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Reads all particles of a file, or of all files of a snapshot, of which `path` names one. The format is recognised by content first, then
/// by extension: see input_format.hpp. Collective.
///
/// Rows are numbered from 0 over the whole snapshot; in HDF5 files by type, within a type by file. Each rank gets the rows
/// [first_of_rank(total, rank, size), first_of_rank(total, rank + 1, size)). Files without ids get the row number as id.
/// @param info    if not null, receives what else the file says
/// @param fields  the table of fields of the particles; those read from HDF5 files where they exist are optional
/// @param columns what the columns of a text table are (io/formats/text_columns.hpp); empty: the file says it
/// @return this rank's rows; fields that were not read are empty
/// @throws AgreedError on all ranks, naming file, field and the lowest bad row, for data that cannot be used. Ids may still occur twice.
ParticleSet read_particles(const std::filesystem::path& path, const Communicator& comm, ReadInfo* info = nullptr,
                           const FieldTablePtr& fields = standard_fields(), const std::string& columns = "");

/// What a user can do about ids that occur twice.
inline constexpr const char* how_to_renumber = "initial_conditions.renumber = true replaces them by the numbers of the rows";

/// Replaces all ids by the numbers of the rows, from 0, of particles as read_particles() returns them. Collective.
void renumber(ParticleSet& particles, const Communicator& comm);

/// What a file says about itself, without reading its particles; counts and softening lengths only from the headers and parameters of
/// GADGET-like HDF5 files. Collective; throws AgreedError for files that cannot be found, read or recognised.
ReadInfo read_info(const std::filesystem::path& path, const Communicator& comm);

}  // namespace grove
