// What a run says before its first step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/run/initial_state.hpp"
#include "src/run/step_schedule.hpp"

namespace grove {

/// Program, particles, forces, `machine`, steps and output directory; each line of `advice` becomes a note.
std::string introduction(const Config& config, const InitialState& state, const StepSchedule& schedule, std::uint64_t first_step,
                         const std::string& machine, const std::vector<std::string>& advice);

}  // namespace grove
