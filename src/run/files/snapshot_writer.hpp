// Writes snapshots of a simulation, between two steps or in the background on a thread of its own, and the list of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "io/snapshots/snapshot.hpp"
#include "io/snapshots/xdmf_series.hpp"
#include "kernels/particles/particle_columns.hpp"
#include "kernels/space/host_memory.hpp"
#include "src/config/config.hpp"
#include "src/process/background_work.hpp"
#include "src/process/wall_clock.hpp"
#include "src/run/files/output_directory.hpp"

namespace grove {

/// A snapshot to be written.
struct SnapshotRequest {
  std::string path;
  SnapshotHeader header;
  bool by_id = true;               ///< over all ranks; else in the order of the ranks' particles
  double made_s = wall_clock_s();  ///< when the snapshot was asked for
};

/// The request for a snapshot of this state. `device` goes into the provenance.
SnapshotRequest snapshot_request(const std::string& path, double time, const Config& config, const std::string& device,
                                 const ComponentNames& components);

/// Writes particles, which come in Morton order. Collective. Throws AgreedError.
void save_snapshot(const SnapshotRequest& request, ParticleSet local, const Communicator& comm);

/// Why snapshots are written, or pictures drawn, between the steps although the user did not ask for that, in one sentence; empty: they are
/// not. `thread_level`: as thread_level_of_mpi() says.
std::string why_not_in_background(const Config& config, int thread_level);

/// What writing in the background needs.
struct WritingResources {
  int thread_level = thread_level_of_mpi();
  std::uint64_t (*free_memory)() = free_host_memory;  ///< bytes of this node
};

/// Keeps the list of a run's snapshots, snapshots.xdmf, up to date. One rank has it; no function is collective. What cannot be read or
/// written is an error, or, with output.on_error = "continue", a line on standard error: it is tried again with the next snapshot, and at
/// the end.
class SnapshotSeries {
 public:
  /// Lists the snapshots of earlier jobs, those numbered below `first`, except those that cannot be read. Throws SystemError, always for a
  /// file with the name of the list that Grove has not written.
  /// @param continues_without  whether the run continues when the list cannot be written
  SnapshotSeries(const OutputDirectory& directory, std::uint64_t first, bool continues_without);

  /// Adds a snapshot that is on the disk, and writes the list, unless it is long and has few new entries. Throws SystemError.
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

/// Writes the snapshots of a run, one at a time. In the background, a thread of each rank writes the particles and has HDF5 to itself.
class SnapshotWriter {
 public:
  /// `in_background`: if that is possible. `comm` and `series` must outlive the object.
  /// @param series  gets each snapshot that is on the disk; null: on ranks other than the root, and where there is none
  SnapshotWriter(const Communicator& comm, bool in_background, const WritingResources& means, SnapshotSeries* series)
      : comm_(comm), means_(means), series_(series), wants_background_(in_background), background_(comm, means.thread_level) {}
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;
  /// Waits for a snapshot that is being written.
  ~SnapshotWriter() = default;

  /// Whether start() may be called. Collective.
  bool can_start() { return wants_background_ && background_.can_start(); }
  /// Whether every node has so much free memory for each of its ranks, with a quarter to spare. Collective.
  bool has_room(std::uint64_t bytes) const;
  /// Starts to write particles, in their order. They must not change before wait(). Collective.
  void start(SnapshotRequest request, ParticleColumns& particles);
  /// Writes them now. Collective. Throws AgreedError.
  void write(const SnapshotRequest& request, ParticleColumns& particles);
  /// Waits until the snapshot is on the disk under its name. Collective. Throws AgreedError if it cannot be written.
  void wait() { background_.wait(); }
  /// Whether the snapshot could not be written; wait() says why. Neither waits nor communicates.
  bool has_failed() const { return background_.has_failed(); }
  /// Wall time from requests to closed files of all complete snapshots, s.
  double seconds() const { return seconds_; }

 private:
  void write(const SnapshotRequest& request, ParticleColumns& particles, const Communicator& comm, const Hdf5Turn& turn);

  const Communicator& comm_;
  WritingResources means_;
  SnapshotSeries* series_;
  const bool wants_background_;
  double seconds_ = 0;
  BackgroundWork background_;  ///< last, because it uses the others
};

}  // namespace grove
