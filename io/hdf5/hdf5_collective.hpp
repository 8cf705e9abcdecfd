// An HDF5 file that all ranks write together, each its own rows of the datasets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "decomposition/ranks/communicator.hpp"
#include "io/hdf5/hdf5_handles.hpp"
#include "kernels/particles/fields.hpp"

namespace grove {

/// A file with complete metadata and reserved space for all that will be written (create_with_room()). So no rank can fail alone inside
/// HDF5, where the others would wait for it. All calls are collective and throw AgreedError.
class CollectiveFile {
 public:
  /// The next `count` rows of a rank; valid until the next call.
  using NextRows = std::function<std::span<const std::byte>(std::size_t count)>;

  /// Opens the file. All ranks first check that they can: in MPI, the others would wait for one that cannot.
  /// @param transfer_bytes  the most that a rank passes to one call
  CollectiveFile(const std::filesystem::path& path, std::size_t transfer_bytes, const Communicator& comm);

  const Hdf5Handle& handle() const { return file_; }

  /// Writes this rank's rows [first, first + count) of a dataset with the elements of `field`, in as many rounds as the rank with most rows
  /// needs. Rounds end at the ends of chunks, so that a chunk is compressed once, except those that ranks share.
  void write_rows(const Hdf5Handle& dataset, const ParticleField& field, std::uint64_t first, std::uint64_t count, const NextRows& next);
  /// The same for consecutive rows in memory.
  void write_rows(const Hdf5Handle& dataset, const ParticleField& field, std::uint64_t first, std::span<const std::byte> rows);

  /// Closes the file, whose datasets must be closed. Call it before the destructor.
  void close();

 private:
  const Communicator& comm_;
  std::filesystem::path path_;
  std::size_t transfer_bytes_;
  Hdf5Handle file_;
  Hdf5Handle collective_;  ///< transfer property list
};

}  // namespace grove
