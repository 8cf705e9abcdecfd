// Where the particles of a GADGET-like HDF5 snapshot are: files, types and rows.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/formats/particle_rows.hpp"
#include "io/formats/read_info.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// The files of a snapshot and their contents: everything that the headers announce exists and has the right shape.
struct GadgetLayout {
  using Masses = std::array<double, particle_type_count>;

  std::vector<std::filesystem::path> pieces;
  std::vector<std::filesystem::path> other_files;  ///< that have the numbers of virtual datasets
  std::vector<TypeCounts> count;                   ///< [pieces]
  std::vector<Masses> mass_of_type;                ///< [pieces], MassTable; 0: there is a dataset of masses, or no particle
  std::vector<Masses> mass_beside;                 ///< [pieces], MassTable where there is also a dataset of masses, which is used
  bool has_ids = true;
  std::vector<std::size_t> optional_fields;  ///< rows of the table: fields that are read where they exist, and do

  TypeCounts count_of_type() const { return sum_over_files(count); }
  std::uint64_t total() const { return sum_of(count_of_type()); }
};

/// Reads the metadata of all files of the snapshot to which `path` belongs, and fills in `info`. Not collective.
/// @throws DataError for missing files or fields, wrong shapes and contradictory counts
GadgetLayout read_gadget_layout(const std::filesystem::path& path, const FieldTable& fields, ReadInfo& info);

/// The dataset of masses in a group of particles; empty: there is none, and MassTable is used.
std::string gadget_mass_field(const Hdf5Handle& group);

}  // namespace grove
