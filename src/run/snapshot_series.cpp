#include "src/run/snapshot_series.hpp"

#include <string>

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
  flush();
}

void SnapshotSeries::add(const std::string& snapshot, const Hdf5Turn& turn) {
  try_to([&] {
    list_.add(snapshot, turn);
    ++pending_;
    if (pending_ > list_.size() / entries_written_each) flush();
  });
}

void SnapshotSeries::flush() {
  if (pending_ == 0) return;
  try_to([&] {
    list_.write();
    pending_ = 0;
  });
}

template <class Work>
void SnapshotSeries::try_to(Work work) {
  try {
    work();
  } catch (const Error& error) {
    if (!goes_on_) throw;
    say_that_the_run_goes_on(error);
  }
}

}  // namespace grove
