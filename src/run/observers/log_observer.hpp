// What the observers that write a row of a log after every step have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "src/run/observers/observer.hpp"

namespace grove {

/// One rank writes a log; all know what became of its rows. With output.on_error = "continue", a row that cannot be written does not end
/// the run; the first one is told.
class LogObserver : public Observer {
 public:
  /// How the log continues that of the earlier part of the run.
  struct Rows {
    const char* saved;         ///< the name of their number in a saved state
    std::uint64_t before = 0;  ///< in the file
    bool may_be_lost = false;  ///< the run continues without rows that cannot be written
  };
  /// `comm` must outlive the object.
  LogObserver(const Communicator& comm, std::string path, const Rows& rows)
      : comm_(comm), path_(std::move(path)), rows_(rows), count_(rows.before) {}

  bool due(const RunState&) const override { return true; }
  bool looks_at_particles() const override { return false; }
  bool is_output() const override { return false; }
  void observe(const RunState& state) override;
  void finish() override {
    succeeds([this] { flush(); });
  }
  void save(SavedState& state) override {
    finish();
    state.put_count(rows_.saved, count_);
  }
  /// "energy.csv; the rows of steps 4 to 6 could not be written".
  std::string written() const override;

 protected:
  /// On the rank that has the log, adds the row of a state; leaves the file as it was if it throws. Does nothing on the others.
  virtual void write(const RunState& state) = 0;
  /// On the rank that has the log, waits until its rows are on the disk.
  virtual void flush() = 0;

 private:
  bool succeeds(const std::function<void()>& work);

  const Communicator& comm_;
  std::string path_;
  Rows rows_;
  std::uint64_t count_;  ///< rows in the file
  bool has_told_ = false;
  std::uint64_t lost_ = 0, first_lost_ = 0, last_lost_ = 0;  ///< number of rows, steps
};

/// The rows of a log of the run that `setup` tells of.
LogObserver::Rows rows_in(const ObserverSetup& setup, const char* saved);

}  // namespace grove
