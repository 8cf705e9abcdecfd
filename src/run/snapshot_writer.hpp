// From the state of a simulation to a snapshot file: between two steps, or beside the steps on a thread of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "decomposition/communicator.hpp"
#include "io/snapshot.hpp"
#include "kernels/particles/particle_columns.hpp"
#include "kernels/space/host_memory.hpp"
#include "src/config/config.hpp"
#include "src/run/beside_the_steps.hpp"
#include "src/run/snapshot_series.hpp"

namespace grove {

/// What a snapshot is to be.
struct SnapshotRequest {
  using Clock = std::chrono::steady_clock;

  std::string path;
  SnapshotHeader header;
  bool by_id = true;                      ///< over all ranks; else in the order of the ranks' particles
  Clock::time_point made = Clock::now();  ///< when the snapshot was asked for
};

/// Writes particles as snapshot `path`, sorted over all ranks as config.output.order says; `local` comes in Morton order. `device` goes
/// into the provenance. Collective. Throws AgreedError.
void save_snapshot(const std::string& path, ParticleSet local, double time, const Config& config, const std::string& device,
                   const Communicator& comm, const ComponentNames& components = usual_component_names());

/// The request for such a snapshot.
SnapshotRequest snapshot_request(const std::string& path, double time, const Config& config, const std::string& device,
                                 const ComponentNames& components);

/// Why snapshots are written, and pictures drawn, between the steps although that could be beside them, in one sentence; empty: they are
/// not. `thread_level`: as thread_level_of_mpi() says.
std::string why_not_beside(const Config& config, int thread_level);

/// What there is to write beside the steps with.
struct MeansOfWriting {
  int thread_level = thread_level_of_mpi();
  std::uint64_t (*free_memory)() = free_host_memory;  ///< bytes of this node
};

/// Writes the snapshots of a run, one at a time.
///
/// Beside the steps, a thread of each rank writes the particles (BesideTheSteps), which has HDF5 to itself. The thread that owns the object
/// goes on.
class SnapshotWriter {
 public:
  /// `beside`: they are to be written beside the steps, if that can be. `comm` and `series` must outlive the object.
  /// @param series  gets each snapshot that is on the disk; null: on ranks but the root, and where there is none
  SnapshotWriter(const Communicator& comm, bool beside, const MeansOfWriting& means, SnapshotSeries* series)
      : comm_(comm), means_(means), series_(series), wants_beside_(beside), beside_(comm, means.thread_level) {}
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;
  /// Waits for a snapshot that is being written.
  ~SnapshotWriter() = default;

  /// Whether start() may be called: it was wanted, and all ranks have the thread. Collective.
  bool can_start() { return wants_beside_ && beside_.can_start(); }
  /// Whether every node has so much free memory for each of its ranks, with a quarter to spare. Collective.
  bool has_room(std::uint64_t bytes) const;
  /// Starts to write particles, in their order. They must not change before wait(), which must have been called for the snapshot before.
  /// Collective.
  void start(SnapshotRequest request, ParticleColumns& particles);
  /// Writes them at once. Collective. Throws AgreedError.
  void write(const SnapshotRequest& request, ParticleColumns& particles);
  /// Waits until the snapshot is on the disk under its name. Collective. Throws AgreedError if it cannot be written.
  void wait() { beside_.wait(); }
  /// Whether the snapshot could not be written; wait() says why. Does not wait, does not communicate.
  bool has_failed() const { return beside_.has_failed(); }
  /// Wall time from requests to closed files, s: of all snapshots that wait() or write() has seen to their end.
  double seconds() const { return seconds_; }

 private:
  void write(const SnapshotRequest& request, ParticleColumns& particles, const Communicator& comm, const Hdf5Turn& turn);

  const Communicator& comm_;
  MeansOfWriting means_;
  SnapshotSeries* series_;
  const bool wants_beside_;
  double seconds_ = 0;
  BesideTheSteps beside_;  ///< last, so that it ends first: it uses the others
};

}  // namespace grove
