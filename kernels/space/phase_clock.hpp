// Times the phases of a step on the space's own clock (events on its stream, on the GPU), without synchronising between them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/space/activity.hpp"
#include "kernels/space/profiler_range.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// A phase lasts until the next one begins, or it is ended. On the GPU it is time on the stream, which includes waits for the host.
/// Profilers see the phases, too (profiler_range.hpp), and so does the watchdog of a run (activity.hpp). Of two clocks of a space that are
/// restarted by turns, one can be read while the other goes on.
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
    is_at_last_stamp_ = false;
  }
  /// Forgets all phases, and begins where `other` has ended; nothing has been enqueued since.
  void restart_after(const PhaseClock& other) {
    restart();
    stamps_.push_back(other.stamps_.back());
    names_.push_back(nullptr);
    is_at_last_stamp_ = true;
  }
  /// Ends the present phase and begins another one. `name` is a string literal.
  void begin(const char* name) {
    if (!std::exchange(is_at_last_stamp_, false)) {
      stamps_.push_back(space_->stamp());
      names_.push_back(name);
    } else {
      names_.back() = name;
    }
    range_.begin(name);
    begin_activity(name);
  }
  /// Ends the present phase. Another one may begin later.
  void end() {
    stamps_.push_back(space_->stamp());
    names_.push_back(nullptr);
    is_at_last_stamp_ = false;
    range_.end();
    begin_activity(nullptr);
  }
  /// Name and seconds of each phase that has ended, those of equal name summed, in order of appearance. Synchronises.
  std::vector<std::pair<std::string, double>> phases() const {
    std::vector<std::pair<std::string, double>> result;
    for (std::size_t i = 0; i + 1 < stamps_.size(); ++i) {
      if (!names_[i]) continue;
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
  std::vector<const char*> names_;  ///< of the phases that begin at these; null: none does
  bool is_at_last_stamp_ = false;   ///< a phase that begins now begins with the last stamp
  ProfilerRange range_;
};

}  // namespace grove
