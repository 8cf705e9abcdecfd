// When a run must end because its time on the machine is over.
#pragma once

#include <limits>
#include <string>

namespace grove {

/// The end of the time that a run has: run.max_wall_time after its start, or the end of its SLURM job, whichever comes first.
class TimeLimit {
 public:
  /// Counts from now. `max_minutes`: 0: no limit. `end_of_job`: seconds since 1970, as SLURM_JOB_END_TIME has it; empty or no number: none.
  TimeLimit(double max_minutes, const std::string& end_of_job);

  bool exists() const { return left_at_start_s_ < std::numeric_limits<double>::infinity(); }
  /// Seconds left; infinity without a limit.
  double left_s() const;
  /// Whether a run must end now: it may need `needed_s` more, and something is kept in reserve: ten seconds, or a tenth of short limits.
  bool is_near(double needed_s) const;

 private:
  double began_s_, left_at_start_s_;
};

/// How long before the end of a SLURM job its signal comes, as the job scripts ask for it (--signal=B:USR1@120); infinity outside of jobs.
double signal_before_end_s();

/// SLURM_JOB_END_TIME, or empty.
std::string end_of_slurm_job();

}  // namespace grove
