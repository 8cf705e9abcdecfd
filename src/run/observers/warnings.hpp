// Observer: advice on the states of a run, on the terminal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "kernels/base/text_parts.hpp"
#include "src/advice/state_advice.hpp"
#include "src/config/config.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/observers/observers.hpp"
#include "src/simulation/own_energy.hpp"
#include "src/simulation/step_criterion.hpp"

namespace grove {

/// Advice on the first state, and on the time step once more wherever a later state needs a much shorter one.
template <class Space>
class WarningObserver final : public Observer {
 public:
  explicit WarningObserver(const ObserverContext<Space>& context) : context_(context), advised_dt_(context.setup.schedule.dt()) {}
  bool due(const RunState& state) const override { return state.step % looks_every() == 0; }
  void observe(const RunState& state) override {
    const ObserverSetup& setup = context_.setup;
    // Steps that are chosen are as long as they may be; a run may have no step at all.
    const double dt = setup.schedule.dt();
    const StepCriterion check =
        setup.config.time.chooses_steps() || setup.schedule.steps() == 0
            ? StepCriterion{0, dt}
            : apply_step_criterion(context_.space, context_.comm, context_.particles, setup.config.gravity, dt, setup.config.time);
    const PotentialHolders holders =
        state.step == 0 ? find_potential_holders(context_.space, context_.comm, context_.particles) : PotentialHolders{};
    const bool is_news = state.step == 0 || check.would_do < much_shorter * advised_dt_;
    if (!is_news) return;
    advised_dt_ = check.would_do;
    if (!context_.comm.is_root() || setup.progress == ProgressStyle::silent) return;
    if (state.step == 0) {
      for (const std::string& line : advice_on_first_state(state.energy.sums, check, setup.schedule, setup.config))
        std::fputs(as_note(line).c_str(), stdout);
      std::fputs(as_note(advice_on_potential_holders(holders, setup.config.time)).c_str(), stdout);
    } else {
      std::fputs(
          ("\n" + as_note("at t = " + setup.schedule.text(state.time) + ", " + advice_on_step(state.energy.sums, check, setup.schedule)))
              .c_str(),
          stdout);
    }
    std::fflush(stdout);
  }
  bool is_output() const override { return false; }

 private:
  static constexpr double much_shorter = 0.5;
  static constexpr std::uint64_t looks = 32, least_steps_apart = 32;
  std::uint64_t looks_every() const { return std::max(context_.setup.schedule.steps() / looks, least_steps_apart); }

  const ObserverContext<Space> context_;
  double advised_dt_;  ///< would do for the states so far
};

template <class Space>
std::unique_ptr<Observer> make_warnings(const ObserverContext<Space>& context) {
  return std::make_unique<WarningObserver<Space>>(context);
}

}  // namespace grove
