// Requests from outside to write a checkpoint or to stop: signals, files in the output directory, the end of the time limit.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "src/process/time_limit.hpp"
#include "src/run/files/output_directory.hpp"

namespace grove {

/// Why a run stops before its end. Where ranks know of several causes, the largest holds.
enum class StopCause : int { none, time_limit, file, signal };

/// Looks at files and clock; one rank does it for all. Signals come to any rank: see StopSignals.
class RunRequests {
 public:
  /// The directory exists. `signal_s`: the time before the end of the job at which a signal is expected; infinity: there is no job.
  RunRequests(const OutputDirectory& directory, const TimeLimit& limit, double signal_s = std::numeric_limits<double>::infinity());

  struct Answer {
    StopCause stop = StopCause::none;
    bool checkpoint = false;  ///< asked for without a stop
    bool is_lost = false;     ///< the output directory is gone, or another one than at the start
  };
  /// Looks for the files at most twice a second. `needed_s`: what the run needs to stop. Not collective.
  Answer look(double needed_s);
  /// A sentence, once, when the signal comes too late for a step and a checkpoint, and the end of the job is not known; else empty.
  /// `turn_s`: the longest step with its output; `checkpoint_s`: the longest checkpoint. Not collective.
  std::string advice(double turn_s, double checkpoint_s);
  /// Removes files that are older than this run. Returns a note on them, or an empty text. Not collective.
  std::string forget_earlier() const;
  /// Removes the files whose requests are fulfilled.
  void settle(const Answer& done);

 private:
  OutputDirectory directory_;
  TimeLimit limit_;
  double signal_s_;
  std::optional<std::string> place_;  ///< of the directory; none: not known yet
  double looked_s_ = 0;
  bool has_advised_ = false;
  Answer files_;  ///< what files ask for
};

}  // namespace grove
