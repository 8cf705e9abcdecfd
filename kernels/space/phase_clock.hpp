// Times the phases of a step on the space's own clock (events on its stream, on the GPU), without synchronising between them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/space/activity.hpp"
#include "kernels/space/profiler_range.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// A phase lasts until the next one begins. On the GPU it is time on the stream, which includes waits for the host. Profilers see the
/// phases, too (profiler_range.hpp), and so does the watchdog of a run (activity.hpp).
template <class Space>
class PhaseClock {
 public:
  explicit PhaseClock(Space& space) : space_(&space) {}

  /// Forgets all phases.
  void restart() {
    range_.end();
    space_->begin_stamps();
    stamps_.clear();
    names_.clear();
  }
  /// Ends the present phase and begins another one. `name` is a string literal.
  void begin(const char* name) {
    stamps_.push_back(space_->stamp());
    names_.push_back(name);
    range_.begin(name);
    begin_activity(name);
  }
  /// Ends the last phase.
  void end() {
    stamps_.push_back(space_->stamp());
    range_.end();
    begin_activity(nullptr);
  }
  /// Name and seconds of each phase that has ended, those of equal name summed, in order of appearance. Synchronises.
  std::vector<std::pair<std::string, double>> phases() const {
    std::vector<std::pair<std::string, double>> result;
    for (std::size_t i = 0; i + 1 < stamps_.size(); ++i) {
      const double seconds = space_->seconds_between(stamps_[i], stamps_[i + 1]);
      std::size_t at = 0;
      while (at < result.size() && result[at].first != names_[i]) ++at;
      if (at == result.size()) result.emplace_back(names_[i], 0);
      result[at].second += seconds;
    }
    return result;
  }

 private:
  Space* space_;
  std::vector<typename Space::Stamp> stamps_;
  std::vector<const char*> names_;
  ProfilerRange range_;
};

}  // namespace grove
