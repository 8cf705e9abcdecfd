// Observer: what the rungs of divided steps did, in time_bins.csv.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/phase_statistics.hpp"
#include "src/run/files/time_bins_log.hpp"
#include "src/run/observers/log_observer.hpp"
#include "src/run/observers/observers.hpp"

namespace grove {

/// The name of the number of its rows in a saved state.
inline constexpr const char* saved_time_bin_rows = "time_bins.rows";

class TimeBinsObserver final : public LogObserver {
 public:
  /// Where the run `adds_rows` no more, those that are there are kept for the next part of it.
  TimeBinsObserver(const Communicator& comm, const std::string& path, const Rows& rows, bool adds_rows)
      : LogObserver(comm, path, rows), adds_rows_(adds_rows) {
    if (log_) require_known_columns(path, !time_bins_columns(log_->names()).empty());
  }
  bool due(const RunState& state) const override { return adds_rows_ && state.step > 0; }

 private:
  std::vector<double> row(const RunState& state) override {
    if (!log_) log_.emplace(path_, time_bins_log());
    return time_bins_row(state.step, state.time, state.timing.rungs);
  }

  bool adds_rows_;
};

/// Where all particles take the base step there is nothing to tell.
template <class Space>
std::unique_ptr<Observer> make_time_bins(const ObserverContext<Space>& context) {
  const LogObserver::Rows rows = rows_in(context.setup, saved_time_bin_rows);
  const bool adds_rows = context.setup.config.time.counts_forces();
  if (!adds_rows && rows.before == 0) return nullptr;
  return std::make_unique<TimeBinsObserver>(context.comm, context.setup.directory.time_bins(), rows, adds_rows);
}

}  // namespace grove
