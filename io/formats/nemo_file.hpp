// The structure of NEMO's binary files, and where the particles of a snapshot lie in one.
//
// A file is a sequence of items: a number of 2 bytes that says whether dimensions follow, a letter for the type of the elements, a name,
// the dimensions, and the elements. Items of the types '(' and ')' begin and end a set of others. A set SnapShot has the sets Parameters
// (Nobj, Time) and Particles (Mass, and Position and Velocity or PhaseSpace) (NEMO's manual pages filestruct(5) and snapshot(5)).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/files/binary_values.hpp"
#include "io/formats/input_format.hpp"

namespace grove {

/// Where the particles of a snapshot lie. Trivially copyable.
struct NemoSnapshot {
  std::uint64_t particles = 0;
  double time = 0;
  bool has_time = false, has_mass = false, has_position = false, has_velocity = false, has_phase_space = false;
  bool swapped = false;              ///< in the other byte order
  NumbersInFile mass;                ///< [particles]
  NumbersInFile position, velocity;  ///< [particles][3]
  NumbersInFile phase_space;         ///< [particles][2][3]: position, velocity; in place of both
};

/// Whether a file starts as one of NEMO's.
bool recognises_nemo(const FileHead& head);

/// Finds the one snapshot of a file; adds the names of what its particles have besides to `unused`.
/// @throws DataError for damaged files, and for those with no snapshot or several
NemoSnapshot read_nemo_snapshot(const std::filesystem::path& path, std::vector<std::string>& unused);

}  // namespace grove
