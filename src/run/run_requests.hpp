// What asks a run from outside to write a checkpoint, or to stop: signals, files in its output directory, the end of its time.
#pragma once

#include <string>

#include "src/run/output_directory.hpp"
#include "src/run/time_limit.hpp"

namespace grove {

/// Why a run stops before its end. Where ranks know of several causes, the largest holds.
enum class StopCause : int { none, time_limit, file, signal };

/// Looks at files and clock; one rank does it for all. Signals come to any rank: see StopSignals.
class RunRequests {
 public:
  RunRequests(const OutputDirectory& directory, const TimeLimit& limit) : directory_(directory), limit_(limit) {}

  struct Answer {
    StopCause stop = StopCause::none;
    bool checkpoint = false;  ///< a checkpoint is asked for, and the run goes on
  };
  /// Looks for the files twice a second at most. `needed_s`: what the run needs to stop. Not collective.
  Answer look(double needed_s);
  /// Removes the files that asked for what has been done.
  void settle(const Answer& done);

 private:
  OutputDirectory directory_;
  TimeLimit limit_;
  double looked_s_ = 0;
  Answer files_;  ///< what files ask for
};

}  // namespace grove
