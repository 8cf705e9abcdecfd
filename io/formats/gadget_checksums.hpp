// The checksums of the datasets of a snapshot of Grove, while it is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "io/files/checksum.hpp"
#include "io/formats/gadget_layout.hpp"
#include "io/hdf5/hdf5_handles.hpp"

namespace grove {

/// Compares the numbers in a file with the checksums that it records; files of others record none.
class GadgetChecksums {
 public:
  /// Finds what the file records. Nothing of snapshots of several files, which Grove does not write. Throws DataError and SystemError.
  void find(const GadgetLayout& layout);
  /// Gives all ranks what the root has found. Collective.
  void share_recorded(const Communicator& comm);
  /// Adds rows of "PartType1/Masses" that this rank has read as `memory_type`.
  void add(const Hdf5Handle& dataset, const std::string& name, const TypeBlock& block, hid_t memory_type, const void* values);
  /// Adds the rows of the other datasets of this type, which are read for this alone.
  void add_others(const Hdf5Handle& group, const TypeBlock& block);
  /// Throws AgreedError (exit code of DataError), which names the dataset, if numbers have changed since they were written. Collective.
  void require_all(const std::filesystem::path& path, const Communicator& comm) const;

 private:
  std::vector<std::pair<std::string, std::uint32_t>> recorded_;
  std::vector<Checksum> own_;  ///< [recorded_] of the rows of this rank
};

}  // namespace grove
