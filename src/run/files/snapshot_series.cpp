#include "src/run/files/snapshot_series.hpp"

#include <string>
#include <utility>

#include "kernels/base/error.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/output_errors.hpp"

namespace grove {

namespace {

/// Each write is of the whole list. So that the bytes of all writes do not grow with the square of the number of snapshots, at most this
/// many entries are written for each snapshot on average.
constexpr std::size_t entries_written_each = 256;

}  // namespace

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
    if (!continues_without_) throw;
    say_that_run_continues_without(error);
    return false;
  }
}

}  // namespace grove
