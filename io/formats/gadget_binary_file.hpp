// One binary file of GADGET-1 or -2: its header and the places of its blocks.
//
// The file is a sequence of Fortran records: the length in bytes as a 4-byte integer, the data, and the length again. The first is the
// header of 256 bytes. In format 1 the blocks follow in a fixed order: positions, velocities, ids, the masses of the types without one in
// the header's MassTable, and others. In format 2 a record with its name precedes each block (Springel 2005, GADGET-2 user guide, section
// 6).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/files/binary_values.hpp"
#include "io/formats/input_format.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// What the header says.
struct GadgetBinaryHeader {
  TypeCounts count{};                                      ///< of this file
  TypeCounts total{};                                      ///< of all files of the snapshot; all 0: it does not say
  std::array<double, particle_type_count> mass_of_type{};  ///< MassTable; 0: the masses are in a block
  double time = 0, redshift = 0, box_size = 0;
  double omega_matter = 0, omega_lambda = 0, hubble = 0;
  std::uint64_t files = 1;  ///< of the snapshot

  std::uint64_t particles() const { return sum_of(count); }
  /// The number of particles whose masses are in the block of masses.
  std::uint64_t particles_with_own_mass() const;
};

/// The places of the particles in a file. Trivially copyable.
struct GadgetBinaryFile {
  GadgetBinaryHeader header;
  NumbersInFile position, velocity, id, mass;
  bool swapped = false;  ///< in the other byte order
  int format = 1;        ///< 1 or 2

  /// Index of the first particle of a type in the blocks of all particles, and in the block of masses.
  std::uint64_t first_of_type(int type) const;
  std::uint64_t first_mass_of_type(int type) const;
};

/// Whether a file starts like one of this format.
bool recognises_gadget_binary(const FileHead& head);

/// Reads the header and finds the blocks; adds the names of unused blocks to `unused`.
/// @throws DataError for records whose two lengths differ, or that do not have the sizes that the header announces
GadgetBinaryFile read_gadget_binary_file(const std::filesystem::path& path, std::vector<std::string>& unused);

}  // namespace grove
