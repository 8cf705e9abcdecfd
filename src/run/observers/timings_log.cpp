#include "src/run/observers/timings_log.hpp"

#include <algorithm>
#include <utility>

#include "kernels/space/error.hpp"

namespace grove {

namespace {

const std::string mean_suffix = "_mean_s", of_other_phases = "other";

/// A phase as it is called in the names of columns.
std::string in_columns(std::string phase) {
  std::replace(phase.begin(), phase.end(), ' ', '_');
  return phase;
}

}  // namespace

TimingsLog::TimingsLog(std::string path, std::uint64_t rows) : path_(std::move(path)) {
  if (!goes_on(path_, rows)) return;
  log_.emplace(path_, rows);
  for (const std::string& name : log_->names())
    if (name.ends_with(mean_suffix)) phases_.push_back(name.substr(0, name.size() - mean_suffix.size()));
  // The last of them is not a phase; two columns each, and step, time, total, imbalance and speed.
  if (phases_.empty() || phases_.back() != of_other_phases || log_->names().size() != 2 * phases_.size() + 5)
    throw DataError(path_ + ": has other columns than this program writes; move it away");
  phases_.pop_back();
}

void TimingsLog::create(const StepTiming& first) {
  std::vector<CsvColumn> columns{{"step", "number of the step; 0 is the force evaluation at the start"},
                                 {"time", "time at the end of the step, code units"}};
  std::vector<std::string> names, phases;
  for (const PhaseSummary& phase : first.phases) {
    names.push_back(phase.name);
    phases.push_back(in_columns(phase.name));
  }
  names.push_back(of_other_phases);
  for (const std::string& name : names) {
    const std::string column = in_columns(name);
    columns.push_back({column + mean_suffix, "wall time of phase '" + name + "', mean over the ranks, s"});
    columns.push_back({column + "_max_s", "the same, of the slowest rank, s"});
  }
  columns.push_back({"total_s", "wall time of the whole step, without output, s"});
  columns.push_back({"imbalance", "time in all walks of the busiest rank / mean over the ranks"});
  columns.push_back({"particles_per_s", "particles of all ranks / total_s, 1/s"});
  log_.emplace(path_, "Grove: wall time of every step", columns);
  phases_ = std::move(phases);
}

void TimingsLog::flush() {
  if (log_) log_->flush();
}

void TimingsLog::add(std::uint64_t step, double time, std::uint64_t particle_count, const StepTiming& timing) {
  if (!log_) create(timing);
  std::vector<double> seconds(2 * phases_.size() + 2, 0.0);
  for (const PhaseSummary& phase : timing.phases) {
    const auto column = static_cast<std::size_t>(std::find(phases_.begin(), phases_.end(), in_columns(phase.name)) - phases_.begin());
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
