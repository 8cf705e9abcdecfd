// The closing words of a run.
#pragma once

#include <string>

#include "src/run/output_directory.hpp"
#include "src/run/run_loop.hpp"

namespace grove {

/// What a run did in a few lines for the terminal: state reached, energy error, speed, share of the phases, what was written.
std::string run_summary(const RunReport& report, const StepSchedule& schedule, const OutputDirectory& output);

/// Why a run ended before its end, and where its state is: one sentence.
std::string stop_text(const RunReport& report, const StepSchedule& schedule);

}  // namespace grove
