// Observer: the progress of a run. One line updated in place on a terminal, a line now and then in a file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "kernels/base/units.hpp"
#include "src/config/config.hpp"
#include "src/run/files/energy_log.hpp"
#include "src/run/files/phase_statistics.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/observers/observers.hpp"

namespace grove {

/// Whether standard output ends at a terminal, also through the pipe or pseudo-terminal of mpirun.
bool output_is_terminal();

/// How far a run is.
struct ProgressState {
  std::uint64_t step = 0;
  double time = 0;              ///< code units
  double elapsed_s = 0;         ///< wall time since the first step began, with output
  double step_s = 0;            ///< wall time of this step, with energies and logs, without other output
  std::uint64_t particles = 0;  ///< of all ranks
};

/// Not collective: one rank owns it. The speed is a mean over recent steps whose weights fall with age; the remaining time follows from the
/// mean over all steps, since snapshots are rare.
class Progress {
 public:
  /// `steps` in the whole run, of which `first_step` were taken earlier; `out` must outlive the object.
  Progress(std::FILE* out, ProgressStyle style, std::uint64_t steps, std::uint64_t first_step = 0, const UnitSystem& units = {})
      : out_(out), style_(style), steps_(steps), first_step_(first_step), units_(units) {
    last_shown_.step = first_step;
  }

  /// Call after every step. Shows progress in place at most ten times a second, or as lines every 30 s or 10 %.
  void update(const ProgressState& state);
  /// Ends the line in place.
  void finish();

 private:
  bool is_due(const ProgressState& state) const;
  std::string line(const ProgressState& state) const;

  std::FILE* out_;
  ProgressStyle style_;
  std::uint64_t steps_, first_step_;
  UnitSystem units_;
  double step_s_ = 0;  ///< recent wall time of a step
  ProgressState last_shown_;
  bool line_open_ = false;
};

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
