// The list of a run's snapshots, snapshots.xdmf, as the run goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "io/xdmf_series.hpp"

namespace grove {

class OutputDirectory;

/// Keeps the list beside the snapshots. One rank has it. No function is collective. What cannot be read or written is an error, or, where
/// output.on_error says so, a line on standard error: it is tried again with the next snapshot, and at the end.
class SnapshotSeries {
 public:
  /// Begins with the snapshots of the jobs before, those numbered below `first`, and lists them. One that cannot be read is passed over.
  /// Throws SystemError; in any case when a file with the name of the list is there that Grove has not written.
  /// @param goes_on  whether the run goes on when the list cannot be written
  SnapshotSeries(const OutputDirectory& directory, std::uint64_t first, bool goes_on);

  /// Adds a snapshot that is on the disk. Most calls write the list; of a long one, only every 256th part of the calls does. Throws as the
  /// constructor, and DataError.
  void add(const std::string& snapshot, const Hdf5Turn& turn);
  /// Writes the list if snapshots have been added that it does not have. Waits for HDF5's turn. Throws as the constructor.
  void flush();

 private:
  /// Does `work`, or says why it could not. Returns whether it has done it.
  template <class Work>
  bool try_to(Work work);
  /// Adds those that could not be read before, up to the first that cannot be read now either.
  void add_missed(const Hdf5Turn& turn);
  void write();

  XdmfSeries list_;
  bool goes_on_;
  std::size_t pending_ = 0;         ///< snapshots that the file lacks
  std::deque<std::string> missed_;  ///< snapshots that could not be read
};

}  // namespace grove
