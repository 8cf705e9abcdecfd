// The skeleton of a snapshot: all groups, attributes and empty datasets.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "io/snapshots/snapshot.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// What the skeleton depends on besides the header.
struct SnapshotContents {
  std::array<std::uint64_t, particle_type_count> count_of_type{};  ///< over all ranks
  std::vector<ParticleField> fields;                               ///< those that are written, as they are in the file
  double box_size = 1;
  int ranks = 1;
  unsigned compression = 0;  ///< level of deflate; 0: none

  bool has_double_positions() const;
};

/// The bytes of an HDF5 file with everything but the particles' numbers: their datasets have no space in the file yet. `name` appears in
/// messages. Not collective. Throws SystemError.
std::string make_snapshot_image(const std::string& name, const SnapshotHeader& header, const SnapshotContents& contents);

/// Most bytes that the file has when all datasets of an image of `image_bytes` have got their space.
std::uint64_t largest_snapshot_size(std::uint64_t image_bytes, const SnapshotContents& contents);

}  // namespace grove
