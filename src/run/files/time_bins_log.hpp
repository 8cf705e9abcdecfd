// time_bins.csv: what the rungs of divided steps did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/integrators/rung_work.hpp"
#include "src/run/files/csv_log.hpp"

namespace grove {

/// The columns with their meanings: step, time, those of each rung and of all finer rungs together, the core.
std::vector<CsvColumn> time_bins_log();
/// The columns of any time_bins.csv; see LogKind.
std::vector<CsvColumn> time_bins_columns(const std::vector<std::string>& names);
/// The row of the step that ended at `time`.
std::vector<double> time_bins_row(std::uint64_t step, double time, const RungCensus& rungs);

}  // namespace grove
