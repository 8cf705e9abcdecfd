// The header of a snapshot, and its skeleton: all groups, attributes and empty datasets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/formats/read_info.hpp"
#include "io/snapshots/snapshot_fields.hpp"
#include "kernels/base/units.hpp"
#include "kernels/particles/particle_set.hpp"

namespace grove {

/// Which program wrote a snapshot and how: the group /Provenance.
struct Provenance {
  std::string version;                                     ///< of Grove
  std::string git_commit;                                  ///< of Grove; empty when not known
  std::string git_date;                                    ///< of that commit; empty when not known
  std::string configuration;                               ///< the text of the configuration file, any length
  std::string device;                                      ///< e.g. "NVIDIA H200"
  std::vector<std::pair<std::string, std::string>> extra;  ///< more attributes: name and text
};

/// Everything in a snapshot besides the particles. Only the root's is used.
struct SnapshotHeader {
  double time = 0;  ///< code units
  UnitSystem units;
  double G = 1;                             ///< code units
  double softening = 0;                     ///< code units, Plummer equivalent
  std::vector<double> softening_of_type{};  ///< [types] the same of each type; empty: all have `softening`
  ComponentNames components = usual_component_names();
  Provenance provenance;
  FieldChoice fields{};
  /// Level of deflate (gzip), 1 to 9, which compresses the particles' numbers without loss; 0: no compression.
  unsigned compression = 0;
  /// Most bytes that a rank passes to one call: bounds the scratch memory and keeps MPI's counts within an int. At least 24.
  std::size_t transfer_bytes = std::size_t{256} << 20;
};

/// What the skeleton depends on in addition to the header.
struct SnapshotContents {
  TypeCounts count_of_type{};         ///< over all ranks
  std::vector<ParticleField> fields;  ///< those written, as in the file
  double box_size = 1;
  int ranks = 1;
  unsigned compression = 0;  ///< level of deflate; 0: none

  bool has_double_positions() const;
};

/// The bytes of an HDF5 file with everything except the particles' numbers, whose datasets have no space in the file yet. `name` appears in
/// messages. Not collective. Throws SystemError.
std::string make_snapshot_image(const std::string& name, const SnapshotHeader& header, const SnapshotContents& contents);

/// The most bytes of the file when all datasets of an image of `image_bytes` have their space.
std::uint64_t largest_snapshot_size(std::uint64_t image_bytes, const SnapshotContents& contents);

}  // namespace grove
