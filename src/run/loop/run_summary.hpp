// What a run says before its first step and after its last.
#pragma once

#include <string>

#include "src/config/config.hpp"
#include "src/run/files/output_directory.hpp"
#include "src/run/loop/run_loop.hpp"

namespace grove {

/// Before the first step: how long the steps will take if each force takes as long as the first ones, in one line. Empty for a short run.
std::string forecast(double first_forces_s, std::uint64_t forces_a_step, const StepSchedule& schedule);

/// Some lines for the terminal: state reached, energy error, speed, share of the phases, files written.
std::string run_summary(const RunReport& report, const StepSchedule& schedule, const OutputDirectory& output);

/// Whether the last state of a run is on the disk.
bool is_kept(const RunReport& report);
/// For a run whose last state is not: the newest state on the disk, in one sentence.
std::string lost_state_text(const RunReport& report);

/// Why a run ended before its end, and where its state is: one sentence.
std::string stop_text(const RunReport& report, const StepSchedule& schedule, const Config& config);

}  // namespace grove
