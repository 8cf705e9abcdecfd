// Observer: wall times of every step, in timings.csv.
#pragma once

#include <memory>
#include <optional>

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
  /// The root writes the file, or continues it.
  TimingsObserver(const Communicator& comm, const std::string& path, const Rows& rows = {saved_timing_rows})
      : LogObserver(comm, path, rows) {
    if (comm.is_root()) log_.emplace(path, rows.before);
  }

 private:
  void write(const RunState& state) override {
    if (log_) log_->add(state.step, state.time, state.energy.sums.particle_count, state.timing);
  }
  void flush() override {
    if (log_) log_->flush();
  }

  std::optional<TimingsLog> log_;  ///< of the root
};

template <class Space>
std::unique_ptr<Observer> make_timings(const ObserverContext<Space>& context) {
  return std::make_unique<TimingsObserver>(context.comm, context.setup.directory.timings(), rows_in(context.setup, saved_timing_rows));
}

}  // namespace grove
