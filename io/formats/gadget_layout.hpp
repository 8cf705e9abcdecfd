// Where the particles of a GADGET-like HDF5 snapshot lie: over files, types and rows.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/formats/particle_rows.hpp"
#include "io/formats/reader.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The files of a snapshot and their contents. All that the headers announce is there and has the right shape.
struct GadgetLayout {
  using Counts = std::array<std::uint64_t, particle_type_count>;
  using Masses = std::array<double, particle_type_count>;

  std::vector<std::filesystem::path> pieces;
  std::vector<std::filesystem::path> other_files;  ///< that virtual datasets have their numbers in
  std::vector<Counts> count;                       ///< [pieces]
  std::vector<Masses> mass_of_type;                ///< [pieces], MassTable of that file; 0 where there is a field of masses, or no particle
  std::vector<Masses> mass_beside;                 ///< [pieces], MassTable of that file where there is a field of masses, which is used
  bool has_ids = true;
  std::vector<std::size_t> optional_fields;  ///< rows of the table of fields that are read when they are there, and are

  std::uint64_t total() const;
  Counts count_of_type() const;
  /// blocks_of_rows() of these files.
  std::vector<GadgetBlock> blocks(std::uint64_t begin, std::uint64_t end) const;
};

/// Looks at the metadata of all files of the snapshot that `path` is one of. Not collective. Fills in `info`.
/// @throws DataError for missing files or fields, wrong shapes and counts that contradict each other
GadgetLayout read_gadget_layout(const std::filesystem::path& path, const FieldTable& fields, ReadInfo& info);

/// Gives all ranks the root's layout. Collective.
void share_layout(GadgetLayout& layout, const Communicator& comm);

/// "PartTypeK".
std::string gadget_group(int type);

/// The name of the field of masses in a group of particles; empty when there is none and MassTable must do.
std::string gadget_mass_field(const Hdf5Handle& group);

}  // namespace grove
