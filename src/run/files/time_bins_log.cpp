#include "src/run/files/time_bins_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace grove {

namespace {

/// Rungs with columns of their own.
constexpr std::size_t rungs_shown = 16;

}  // namespace

std::vector<CsvColumn> time_bins_log() {
  std::vector<CsvColumn> columns{{"step", "number of the base step"}, {"time", "time at the end of the base step"}};
  const auto add = [&](const std::string& name, const std::string& rung) {
    columns.push_back({name + "_particles", "particles on " + rung + " at the beginning of the base step"});
    columns.push_back({name + "_updates", "forces computed where the longest steps that ended were those of " + rung});
    columns.push_back({name + "_s", "wall time of these sub-steps, on the slowest rank, s"});
  };
  for (std::size_t r = 0; r < rungs_shown; ++r) add(fmt::format("rung_{}", r), fmt::format("rung {} (steps of time.dt / 2^{})", r, r));
  add("finer", "finer rungs");
  columns.push_back({"in_core", "particles of all rungs that are in the core"});
  return columns;
}

std::vector<CsvColumn> time_bins_columns(const std::vector<std::string>& names) { return columns_if_named(time_bins_log(), names); }

std::vector<double> time_bins_row(std::uint64_t step, double time, const RungCensus& rungs) {
  std::vector<double> row{static_cast<double>(step), time};
  row.resize(2 + 3 * (rungs_shown + 1) + 1);
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    double* const at = row.data() + 2 + 3 * std::min(r, rungs_shown);
    at[0] += static_cast<double>(rungs[r].particles);
    at[1] += static_cast<double>(rungs[r].updates);
    at[2] += rungs[r].seconds;
    row.back() += static_cast<double>(rungs[r].in_core);
  }
  return row;
}

}  // namespace grove
