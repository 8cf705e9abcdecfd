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

/// A file whose metadata are complete and which has room for all that will be written: see create_with_room(). Then no rank can fail alone
/// inside HDF5, where the others would wait for it. All calls are collective and throw AgreedError.
class CollectiveFile {
 public:
  /// The next `count` rows of a rank; valid until the next call.
  using NextRows = std::function<std::span<const std::byte>(std::size_t count)>;

  /// Opens the file. All ranks first make sure that they can: MPI would leave the others waiting for one that cannot.
  /// @param transfer_bytes  the most that a rank hands over in one call
  CollectiveFile(const std::filesystem::path& path, std::size_t transfer_bytes, const Communicator& comm);

  const Hdf5Handle& handle() const { return file_; }

  /// Writes this rank's rows [first, first + count) of a dataset with the elements of `field`. In as many rounds as the rank with most rows
  /// needs. Rounds end where pieces of the dataset do, so that a piece is packed once, but for those that two ranks share.
  void write_rows(const Hdf5Handle& dataset, const ParticleField& field, std::uint64_t first, std::uint64_t count, const NextRows& next);
  /// The same of rows that lie one after the other.
  void write_rows(const Hdf5Handle& dataset, const ParticleField& field, std::uint64_t first, std::span<const std::byte> rows);

  /// Closes the file; its datasets must be closed. To be called before the object goes.
  void close();

 private:
  const Communicator& comm_;
  std::filesystem::path path_;
  std::size_t transfer_bytes_;
  Hdf5Handle file_;
  Hdf5Handle collective_;  ///< transfer property list
};

}  // namespace grove
