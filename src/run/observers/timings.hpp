// Observer: wall times of every step, in timings.csv.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/run/observers/energy_log.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/observers/timings_log.hpp"
#include "src/run/output_directory.hpp"

namespace grove {

class TimingsObserver final : public Observer {
 public:
  /// The root writes the file, or goes on after its first `rows` rows.
  TimingsObserver(const Communicator& comm, const std::string& path, std::uint64_t rows = 0) : comm_(comm), path_(path) {
    if (comm.is_root()) log_.emplace(path, rows);
  }
  bool due(const RunState&) const override { return true; }
  void observe(const RunState& state) override {
    comm_.agree([&] {
      if (log_) log_->add(state.step, state.time, state.energy.sums.particle_count, state.timing);
    });
  }
  void save(SavedState&) override { finish(); }
  void finish() override {
    comm_.agree([&] {
      if (log_) log_->flush();
    });
  }
  std::string written() const override { return path_; }

 private:
  const Communicator& comm_;
  std::string path_;
  std::optional<TimingsLog> log_;
};

template <class Space>
std::unique_ptr<Observer> make_timings(const ObserverContext<Space>& context) {
  return std::make_unique<TimingsObserver>(context.comm, context.setup.directory.timings(), context.setup.states_seen);
}

}  // namespace grove
