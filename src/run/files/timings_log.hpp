// timings.csv: the time of every step by phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/run/files/csv_log.hpp"
#include "src/run/files/phase_statistics.hpp"

namespace grove {

/// The columns of a new timings.csv with their meanings: step, time, mean and maximum over the ranks of every phase of the first step
/// logged, those of the phases of later steps alone in the column "other", imbalance, particles/s.
std::vector<CsvColumn> timings_log(const StepTiming& first);
/// The columns of any timings.csv; see LogKind.
std::vector<CsvColumn> timings_columns(const std::vector<std::string>& names);
/// The row of the step that ended at `time`, in a log with the columns `names`, which are those of timings_log().
std::vector<double> timings_row(const std::vector<std::string>& names, std::uint64_t step, double time, std::uint64_t particle_count,
                                const StepTiming& timing);

}  // namespace grove
