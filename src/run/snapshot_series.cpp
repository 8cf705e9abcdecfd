#include "src/run/snapshot_series.hpp"

#include <string>
#include <utility>

#include "kernels/space/error.hpp"
#include "src/run/go_on.hpp"
#include "src/run/output_directory.hpp"

namespace grove {

namespace {

/// The list is written anew each time, so that all that is written would grow with the square of the number of snapshots. With this many
/// times the length of an entry for each snapshot, it does not.
constexpr std::size_t entries_written_each = 256;

}  // namespace

SnapshotSeries::SnapshotSeries(const OutputDirectory& directory, std::uint64_t first, bool goes_on)
    : list_(directory.snapshot_series()), goes_on_(goes_on) {
  XdmfSeries::require_no_other(list_.path());
  if (first == 0) return;
  const Hdf5Turn turn;
  for (const std::uint64_t number : directory.snapshots()) {
    if (number >= first) break;
    try {
      list_.add(directory.snapshot(number), turn);
    } catch (const Error&) {
      // A damaged one is no reason to stop: who wants to go on from it is told.
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
      // It has been said. Another one is the first to be tried next time, so that a damaged one does not hold up those behind it.
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
    if (!goes_on_) throw;
    say_that_the_run_goes_on(error);
    return false;
  }
}

}  // namespace grove
