// The rows of a log over all ranks: how many there are, and which could not be written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "decomposition/communicator.hpp"
#include "src/run/observers/observer.hpp"

namespace grove {

/// The number of rows in a log of a run that goes on; `name` is that of LogRows::save(). Where rows are not saved, there is one a state.
std::uint64_t rows_before(const ObserverSetup& setup, const char* name);

/// One rank writes a log; all know what became of its rows. Where the user wants it (output.on_error = "continue"), a row that cannot be
/// written does not end the run; the first one is told.
class LogRows {
 public:
  /// `before`: rows that are in the file. `goes_on`: without rows that cannot be written. `comm` must outlive the object.
  LogRows(const Communicator& comm, std::uint64_t before, bool goes_on) : comm_(comm), count_(before), goes_on_(goes_on) {}

  /// Adds the row of a step: `write` does so on the rank that has the log, leaves the file as it was if it throws, and does nothing on the
  /// others. Collective. Throws AgreedError, unless the run goes on without.
  void add(std::uint64_t step, const std::function<void()>& write);
  /// Has the rows on the disk: `flush` as above.
  void flush(const std::function<void()>& flush);
  void save(SavedState& state, const char* name) const { state.put_count(name, count_); }
  /// "; the rows of steps 4 to 6 could not be written", or empty.
  std::string lost() const;

 private:
  bool succeeds(const std::function<void()>& work);

  const Communicator& comm_;
  std::uint64_t count_;
  bool goes_on_, has_told_ = false;
  std::uint64_t lost_ = 0, first_lost_ = 0, last_lost_ = 0;  ///< number of rows, steps
};

}  // namespace grove
