// Observer: wall times of every step, in timings.csv.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/run/files/energy_log.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/files/timings_log.hpp"
#include "src/run/observers/log_observer.hpp"
#include "src/run/observers/observers.hpp"

namespace grove {

/// The name of the number of its rows in a saved state.
inline constexpr const char* saved_timing_rows = "timings.rows";

class TimingsObserver final : public LogObserver {
 public:
  /// The root continues the file, or creates it with the first row.
  TimingsObserver(const Communicator& comm, const std::string& path, const Rows& rows = {saved_timing_rows})
      : LogObserver(comm, path, rows) {
    if (log_) require_known_columns(path, !timings_columns(log_->names()).empty());
  }

 private:
  std::vector<double> row(const RunState& state) override {
    if (!log_) log_.emplace(path_, timings_log(state.timing));
    return timings_row(log_->names(), state.step, state.time, state.energy.sums.particle_count, state.timing);
  }
};

template <class Space>
std::unique_ptr<Observer> make_timings(const ObserverContext<Space>& context) {
  return std::make_unique<TimingsObserver>(context.comm, context.setup.directory.timings(), rows_in(context.setup, saved_timing_rows));
}

}  // namespace grove
