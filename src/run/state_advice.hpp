// What a user should know of the first state of a run, and of its end: one sentence each.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/run/observers/energy_log.hpp"
#include "src/run/step_schedule.hpp"
#include "src/simulation/step_check.hpp"

namespace grove {

/// Sentences on a state that is not bound or hardly moves, which may be meant so, and on a step that is too long, with one that divides the
/// run. A virial ratio far from 1 has units or a G as its likely cause, which `config` has.
std::vector<std::string> advice_on_first_state(const EnergyState& energy, const StepCheck& check, const StepSchedule& schedule,
                                               const Config& config);

/// A sentence on an energy error at the end of a run that is too large for its results to be used; else empty.
std::string advice_on_energy_error(double relative_error);

}  // namespace grove
