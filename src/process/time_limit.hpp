// The time limit of a run.
#pragma once

#include <limits>
#include <string>

namespace grove {

/// run.max_wall_time after the start of a run, or the end of its SLURM job, whichever comes first.
class TimeLimit {
 public:
  /// Counts from now. `max_minutes`: 0: no limit. `end_of_job`: seconds since 1970 as in SLURM_JOB_END_TIME; empty or no number: none.
  TimeLimit(double max_minutes, const std::string& end_of_job);

  bool exists() const { return left_at_start_s_ < std::numeric_limits<double>::infinity(); }
  /// Seconds left; infinity without a limit.
  double left_s() const;
  /// Whether a run that needs `needed_s` to end must end now. Ten seconds, or a tenth of a short limit, are kept in reserve.
  bool is_near(double needed_s) const;

 private:
  double began_s_, left_at_start_s_;
};

/// The time before the end of a SLURM job at which the job scripts ask for a signal (--signal=B:USR1@120); infinity outside of jobs.
double signal_before_end_s();

/// SLURM_JOB_END_TIME, or empty.
std::string end_of_slurm_job();

}  // namespace grove
