#include "src/run/observers/timings_log.hpp"

#include <algorithm>

namespace grove {

void TimingsLog::create(const StepTiming& first) {
  std::vector<CsvColumn> columns{{"step", "number of the step; 0 is the force evaluation at the start"},
                                 {"time", "time at the end of the step, code units"}};
  for (const PhaseSummary& phase : first.phases) phases_.push_back(phase.name);
  std::vector<std::string> names = phases_;
  names.push_back("other");
  for (const std::string& name : names) {
    std::string column = name;
    std::replace(column.begin(), column.end(), ' ', '_');
    columns.push_back({column + "_mean_s", "wall time of phase '" + name + "', mean over the ranks, s"});
    columns.push_back({column + "_max_s", "the same, of the slowest rank, s"});
  }
  columns.push_back({"total_s", "wall time of the whole step, without output, s"});
  columns.push_back({"imbalance", "time in all walks of the busiest rank / mean over the ranks"});
  columns.push_back({"particles_per_s", "particles of all ranks / total_s, 1/s"});
  log_.emplace(path_, "Grove: wall time of every step", columns);
}

void TimingsLog::add(std::uint64_t step, double time, std::uint64_t particle_count, const StepTiming& timing) {
  if (!log_) create(timing);
  std::vector<double> seconds(2 * phases_.size() + 2, 0.0);
  for (const PhaseSummary& phase : timing.phases) {
    const auto column = static_cast<std::size_t>(std::find(phases_.begin(), phases_.end(), phase.name) - phases_.begin());
    seconds[2 * column] += phase.mean;
    seconds[2 * column + 1] += phase.max;
  }
  std::vector<double> values{static_cast<double>(step), time};
  values.insert(values.end(), seconds.begin(), seconds.end());
  const double particles_per_s = timing.seconds > 0 ? static_cast<double>(particle_count) / timing.seconds : 0;
  values.insert(values.end(), {timing.seconds, timing.imbalance, particles_per_s});
  log_->add(values);
}

}  // namespace grove
