// Observer: the progress of a run, on the terminal.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>

#include "src/run/files/energy_log.hpp"
#include "src/run/files/phase_statistics.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/observers/observers.hpp"
#include "src/run/observers/progress.hpp"

namespace grove {

class ProgressObserver final : public Observer {
 public:
  /// The root prints it.
  ProgressObserver(const Communicator& comm, ProgressStyle style, std::uint64_t steps, std::uint64_t first_step, const UnitSystem& units) {
    if (comm.is_root()) progress_.emplace(stdout, style, steps, first_step, units);
  }
  ~ProgressObserver() override {
    if (progress_) progress_->finish();
  }
  bool due(const RunState& state) const override { return state.step > 0; }
  bool looks_at_particles() const override { return false; }
  void observe(const RunState& state) override {
    if (progress_) progress_->update({state.step, state.time, state.elapsed_s, state.timing.seconds, state.energy.sums.particle_count});
  }
  bool is_output() const override { return false; }

 private:
  std::optional<Progress> progress_;
};

template <class Space>
std::unique_ptr<Observer> make_progress_line(const ObserverContext<Space>& context) {
  return std::make_unique<ProgressObserver>(context.comm, context.setup.progress, context.setup.schedule.steps(), context.setup.first_step,
                                            context.setup.config.units);
}

}  // namespace grove
