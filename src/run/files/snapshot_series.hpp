// The list of a run's snapshots, snapshots.xdmf, during the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "io/snapshots/xdmf_series.hpp"

namespace grove {

class OutputDirectory;

/// Keeps the list up to date. One rank has it; no function is collective. What cannot be read or written is an error, or, with
/// output.on_error = "continue", a line on standard error: it is tried again with the next snapshot, and at the end.
class SnapshotSeries {
 public:
  /// Lists the snapshots of earlier jobs, those numbered below `first`, except those that cannot be read. Throws SystemError, always for a
  /// file with the name of the list that Grove has not written.
  /// @param continues_without  whether the run continues when the list cannot be written
  SnapshotSeries(const OutputDirectory& directory, std::uint64_t first, bool continues_without);

  /// Adds a snapshot that is on the disk, and writes the list, unless it is long and has few new entries. Throws as the constructor, and
  /// DataError.
  void add(const std::string& snapshot, const Hdf5Turn& turn);
  /// Writes the list if it lacks snapshots. Waits for HDF5's turn. Throws as the constructor.
  void flush();

 private:
  /// Does `work`, or says why it could not. Returns whether it did.
  template <class Work>
  bool try_to(Work work);
  /// Adds those that could not be read earlier, up to the first that still cannot be read.
  void add_missed(const Hdf5Turn& turn);
  void write();

  XdmfSeries list_;
  bool continues_without_;
  std::size_t pending_ = 0;         ///< number of snapshots that the file lacks
  std::deque<std::string> missed_;  ///< snapshots that could not be read
};

}  // namespace grove
