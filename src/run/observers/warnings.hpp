// Observer: advice on the first state of a run, on the terminal.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "kernels/base/text_parts.hpp"
#include "src/advice/state_advice.hpp"
#include "src/config/config.hpp"
#include "src/run/files/step_schedule.hpp"
#include "src/run/observers/observers.hpp"
#include "src/simulation/step_criterion.hpp"

namespace grove {

template <class Space>
class WarningObserver final : public Observer {
 public:
  explicit WarningObserver(const ObserverContext<Space>& context) : context_(context) {}
  bool due(const RunState& state) const override { return state.step == 0; }
  void observe(const RunState& state) override {
    const ObserverSetup& setup = context_.setup;
    const double dt = setup.schedule.dt();
    const StepCriterion check = apply_step_criterion(context_.space, context_.comm, context_.particles, setup.config.gravity, dt);
    if (!context_.comm.is_root() || setup.progress == ProgressStyle::silent) return;
    for (const std::string& line : advice_on_first_state(state.energy.sums, check, setup.schedule, setup.config))
      std::fputs(as_note(line).c_str(), stdout);
    std::fflush(stdout);
  }
  bool is_output() const override { return false; }

 private:
  const ObserverContext<Space> context_;
};

template <class Space>
std::unique_ptr<Observer> make_warnings(const ObserverContext<Space>& context) {
  return std::make_unique<WarningObserver<Space>>(context);
}

}  // namespace grove
