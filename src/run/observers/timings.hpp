// Observer: wall times of every step, in timings.csv.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/config/config.hpp"
#include "src/run/observers/energy_log.hpp"
#include "src/run/observers/log_rows.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/observers/timings_log.hpp"
#include "src/run/output_directory.hpp"

namespace grove {

/// The name of the number of its rows in a saved state.
inline constexpr const char* saved_timing_rows = "timings.rows";

class TimingsObserver final : public Observer {
 public:
  /// The root writes the file, or goes on after its first `rows` rows. `goes_on`: see LogRows.
  TimingsObserver(const Communicator& comm, const std::string& path, std::uint64_t rows = 0, bool goes_on = false)
      : path_(path), rows_(comm, rows, goes_on) {
    if (comm.is_root()) log_.emplace(path, rows);
  }
  bool due(const RunState&) const override { return true; }
  bool looks_at_particles() const override { return false; }
  bool is_output() const override { return false; }
  void observe(const RunState& state) override {
    rows_.add(state.step, [&] {
      if (log_) log_->add(state.step, state.time, state.energy.sums.particle_count, state.timing);
    });
  }
  void save(SavedState& state) override {
    finish();
    rows_.save(state, saved_timing_rows);
  }
  void finish() override {
    rows_.flush([&] {
      if (log_) log_->flush();
    });
  }
  std::string written() const override { return path_ + rows_.lost(); }

 private:
  std::string path_;
  LogRows rows_;
  std::optional<TimingsLog> log_;
};

template <class Space>
std::unique_ptr<Observer> make_timings(const ObserverContext<Space>& context) {
  return std::make_unique<TimingsObserver>(context.comm, context.setup.directory.timings(), rows_before(context.setup, saved_timing_rows),
                                           context.setup.config.output.on_error == "continue");
}

}  // namespace grove
