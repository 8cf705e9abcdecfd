#include "src/run/files/snapshot_writer.hpp"

#include <utility>

#include "decomposition/domain/sort_by_id.hpp"
#include "kernels/base/activity.hpp"
#include "kernels/base/error.hpp"
#include "src/config/config_print.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/output_errors.hpp"
#include "src/run/files/version.hpp"

namespace grove {

namespace {

/// Each write is of the whole list. So that the bytes of all writes do not grow with the square of the number of snapshots, at most this
/// many entries are written for each snapshot on average.
constexpr std::size_t entries_written_each = 256;

}  // namespace

SnapshotRequest snapshot_request(const std::string& path, double time, const Config& config, const std::string& device,
                                 const ComponentNames& components) {
  SnapshotRequest request;
  request.path = path;
  request.by_id = config.output.order == "id";
  SnapshotHeader& header = request.header;
  header.time = time;
  header.units = config.units;
  header.G = config.gravity.G;
  header.components = components;
  header.softening = config.gravity.softening;
  header.softening_of_type = config.gravity.softening_of_type;
  header.provenance = program_provenance();
  header.provenance.configuration = print_config(config);
  header.provenance.device = device;
  header.fields = config.output.field_choice();
  header.compression = static_cast<unsigned>(config.output.compression);
  return request;
}

void save_snapshot(const SnapshotRequest& request, ParticleSet local, const Communicator& comm) {
  if (request.by_id) local = sort_by_id(std::move(local), comm);
  write_snapshot(request.path, local, request.header, comm);
}

std::string why_not_in_background(const Config& config, int thread_level) {
  if (thread_level >= MPI_THREAD_MULTIPLE) return "";
  const bool writes = config.output.snapshots != "none" && config.output.in_background != "no", draws = config.pictures.are_wanted();
  if (!writes && !draws) return "";
  const std::string what = writes && draws ? "snapshots are written and pictures drawn"
                           : writes        ? "a snapshot is written"
                                           : "pictures are drawn";
  return "this MPI library does not let two threads use it (MPI_THREAD_MULTIPLE): the steps wait while " + what;
}

SnapshotSeries::SnapshotSeries(const OutputDirectory& directory, std::uint64_t first, bool continues_without)
    : list_(directory.snapshot_series()), continues_without_(continues_without) {
  XdmfSeries::require_no_other(list_.path());
  if (first == 0) return;
  const Hdf5Turn turn;
  for (const std::uint64_t number : directory.snapshots()) {
    if (number >= first) break;
    try {
      list_.add(directory.snapshot(number), turn);
    } catch (const Error&) {
      // A damaged one is no reason to stop. A run that continues at it says so.
    }
  }
  pending_ = list_.size();
  write();
}

void SnapshotSeries::add(const std::string& snapshot, const Hdf5Turn& turn) {
  add_missed(turn);
  if (try_to([&] { list_.add(snapshot, turn); }))
    ++pending_;
  else
    missed_.push_back(snapshot);
  if (pending_ > list_.size() / entries_written_each) write();
}

void SnapshotSeries::flush() {
  if (!missed_.empty()) add_missed(Hdf5Turn());
  write();
}

void SnapshotSeries::add_missed(const Hdf5Turn& turn) {
  while (!missed_.empty()) {
    const std::string snapshot = std::move(missed_.front());
    missed_.pop_front();
    try {
      list_.add(snapshot, turn);
      ++pending_;
    } catch (const Error&) {
      // This was printed already. Another one is tried first next time, so that a damaged one does not hold up the others.
      missed_.push_back(snapshot);
      return;
    }
  }
}

void SnapshotSeries::write() {
  if (pending_ == 0) return;
  try_to([&] {
    list_.write();
    pending_ = 0;
  });
}

template <class Work>
bool SnapshotSeries::try_to(Work work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    // Also DataError: what the run itself has just written is no mistake in its input.
    if (!continues_without_) throw SystemError(error.what());
    say_that_run_continues_without(error);
    return false;
  }
}

bool SnapshotWriter::has_room(std::uint64_t bytes) const {
  const std::uint64_t of_node = comm_.max(bytes) * static_cast<std::uint64_t>(comm_.local_size());
  return comm_.min(of_node <= means_.free_memory() / 4 * 3 ? 1 : 0) == 1;
}

void SnapshotWriter::start(SnapshotRequest request, ParticleColumns& particles) {
  // The turn is taken here, where all ranks are at the same place of their program.
  auto turn = std::make_shared<Hdf5Turn>();
  auto work = [this, request = std::move(request), &particles, turn = std::move(turn)](const Communicator& comm) {
    write(request, particles, comm, *turn);
  };
  background_.start("snapshot in the background", std::move(work));
}

void SnapshotWriter::write(const SnapshotRequest& request, ParticleColumns& particles) {
  begin_activity("snapshot");
  write(request, particles, comm_, Hdf5Turn());
}

void SnapshotWriter::write(const SnapshotRequest& request, ParticleColumns& particles, const Communicator& comm, const Hdf5Turn& turn) {
  comm.agree([&] {
    if (comm.is_root()) require_free_or_own(request.path);
  });
  write_snapshot(request.path, particles, request.header, comm, turn);
  comm.agree([&] {
    if (series_) series_->add(request.path, turn);
  });
  seconds_ += wall_clock_s() - request.made_s;
}

}  // namespace grove
