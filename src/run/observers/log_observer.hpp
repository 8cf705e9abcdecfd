// What the observers that write a row of a log after every step have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "src/run/files/csv_log.hpp"
#include "src/run/observers/observer.hpp"

namespace grove {

/// The root writes a log; all ranks know what became of its rows. With output.on_error = "continue", a row that cannot be written does not
/// end the run; the first one is told.
class LogObserver : public Observer {
 public:
  /// How the log continues that of the earlier part of the run.
  struct Rows {
    const char* saved;         ///< the name of their number in a saved state
    std::uint64_t before = 0;  ///< in the file
    bool may_be_lost = false;  ///< the run continues without rows that cannot be written
  };
  /// Opens a log that is there to continue after rows.before > 0 rows. `comm` must outlive the object. Throws as CsvLog does, on the root.
  LogObserver(const Communicator& comm, const std::string& path, const Rows& rows);

  bool due(const RunState&) const override { return true; }
  bool looks_at_particles() const override { return false; }
  bool is_output() const override { return false; }
  void observe(const RunState& state) override;
  void finish() override;
  void save(SavedState& state) override {
    finish();
    state.put_count(rows_.saved, count_);
  }
  /// "energy.csv; the rows of steps 4 to 6 could not be written".
  std::string written() const override;

 protected:
  /// The row of a state, for the log, which is open afterwards. Called on the root.
  virtual std::vector<double> row(const RunState& state) = 0;
  const Communicator& comm_;
  const std::string path_;
  std::optional<CsvLog> log_;  ///< of the root

 private:
  bool succeeds(const std::function<void()>& work);

  Rows rows_;
  std::uint64_t count_;  ///< rows in the file
  bool has_told_ = false;
  std::uint64_t lost_ = 0, first_lost_ = 0, last_lost_ = 0;  ///< number of rows, steps
};

/// Throws DataError unless the columns of the log that the run continues `are_known`.
void require_known_columns(const std::string& log, bool are_known);
/// The rows of a log of the run that `setup` tells of.
LogObserver::Rows rows_in(const ObserverSetup& setup, const char* saved);

}  // namespace grove
