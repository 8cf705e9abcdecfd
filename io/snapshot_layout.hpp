// The skeleton of a snapshot: all groups, attributes and empty datasets.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "io/snapshot.hpp"
#include "io/snapshot_fields.hpp"

namespace grove {

/// What the skeleton depends on besides the header.
struct SnapshotContents {
  std::array<std::uint64_t, particle_type_count> count_of_type{};  ///< over all ranks
  std::vector<const SnapshotField*> fields;                        ///< those that are known
  double box_size = 1;
  int ranks = 1;
};

/// Creates the file with everything but the numbers of the particles, whose space in it is reserved. By one rank alone: this is
/// little work, and an error in it (no room on the disk first of all) is met before all ranks write together, where one that
/// fails could leave the others waiting. Throws SystemError.
void create_snapshot_file(const std::filesystem::path& path, const SnapshotHeader& header, const SnapshotContents& contents);

}  // namespace grove
