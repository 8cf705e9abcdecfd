#include "src/run/files/timings_log.hpp"

#include <algorithm>

namespace grove {

namespace {

const std::string mean_suffix = "_mean_s", max_suffix = "_max_s", of_other_phases = "other";
constexpr std::size_t before_phases = 2, after_phases = 3;  ///< columns

/// A phase in the names of columns.
std::string in_columns(std::string phase) {
  std::replace(phase.begin(), phase.end(), ' ', '_');
  return phase;
}

/// The phases, as in columns, whose means are among these names.
std::vector<std::string> phases_in(const std::vector<std::string>& names) {
  std::vector<std::string> phases;
  for (const std::string& name : names)
    if (name.ends_with(mean_suffix)) phases.push_back(name.substr(0, name.size() - mean_suffix.size()));
  return phases;
}

/// All columns of a log with these phases, of which the last is "other".
std::vector<CsvColumn> columns_of(const std::vector<std::string>& phases) {
  std::vector<CsvColumn> columns{{"step", "number of the step; 0 is the force evaluation at the start"},
                                 {"time", "time at the end of the step"}};
  for (const std::string& phase : phases) {
    std::string words = phase == of_other_phases ? "phases that the first row did not have" : "phase '" + phase + "'";
    std::replace(words.begin(), words.end(), '_', ' ');
    columns.push_back({phase + mean_suffix, "wall time of " + words + ", mean over the ranks, s"});
    columns.push_back({phase + max_suffix, "wall time of " + words + ", of the slowest rank, s"});
  }
  columns.push_back({"total_s", "wall time of the whole step with energies and logs, without other output, s"});
  columns.push_back({"imbalance", "time in all walks of the busiest rank / mean over the ranks, no unit"});
  columns.push_back({"particles_per_s", "particles of all ranks / total_s, 1/s"});
  return columns;
}

}  // namespace

std::vector<CsvColumn> timings_log(const StepTiming& first) {
  std::vector<std::string> phases;
  for (const PhaseSummary& phase : first.phases) phases.push_back(in_columns(phase.name));
  phases.push_back(of_other_phases);
  return columns_of(phases);
}

std::vector<CsvColumn> timings_columns(const std::vector<std::string>& names) {
  const std::vector<std::string> phases = phases_in(names);
  if (phases.empty() || phases.back() != of_other_phases) return {};
  return columns_if_named(columns_of(phases), names);
}

std::vector<double> timings_row(const std::vector<std::string>& names, std::uint64_t step, double time, std::uint64_t particle_count,
                                const StepTiming& timing) {
  // After step and time a mean and a maximum of each phase, the last of which takes all that have none.
  const std::size_t phases = (names.size() - before_phases - after_phases) / 2;
  const auto is_column_of = [](const std::string& column, const std::string& phase) {
    const auto same = [](char of_phase, char of_column) { return of_column == (of_phase == ' ' ? '_' : of_phase); };
    return column.size() == phase.size() + mean_suffix.size() && std::equal(phase.begin(), phase.end(), column.begin(), same);
  };
  std::vector<double> seconds(2 * phases, 0.0);
  for (const PhaseSummary& phase : timing.phases) {
    std::size_t k = 0;
    while (k + 1 < phases && !is_column_of(names[before_phases + 2 * k], phase.name)) ++k;
    seconds[2 * k] += phase.mean;
    seconds[2 * k + 1] += phase.max;
  }
  std::vector<double> row{static_cast<double>(step), time};
  row.insert(row.end(), seconds.begin(), seconds.end());
  const double particles_per_s = timing.seconds > 0 ? static_cast<double>(particle_count) / timing.seconds : 0;
  row.insert(row.end(), {timing.seconds, timing.imbalance, particles_per_s});
  return row;
}

}  // namespace grove
