// Times the phases of a step with the clock of the space (events on the GPU's stream), without synchronisation between them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/base/activity.hpp"
#include "kernels/space/profiler_range.hpp"
#include "kernels/space/space.hpp"

namespace grove {

/// A phase lasts until the next one begins or end() is called. On the GPU it is time on the stream, including waits for the host. Profilers
/// (profiler_range.hpp) and the watchdog of a run (activity.hpp) see the phases as well. With two clocks of a space that are restarted in
/// turn, one can be read while the other runs.
template <class Space>
class PhaseClock {
 public:
  explicit PhaseClock(Space& space) : space_(&space) {}

  /// Removes all phases.
  void restart() {
    range_.end();
    space_->begin_stamps();
    stamps_.clear();
    names_.clear();
    is_at_last_stamp_ = false;
  }
  /// Removes all phases and begins where `other` ended; nothing may have been enqueued since.
  void restart_after(const PhaseClock& other) {
    restart();
    stamps_.push_back(other.stamps_.back());
    names_.push_back(nullptr);
    is_at_last_stamp_ = true;
  }
  /// Ends the present phase and begins another. `name` is a string literal.
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
  /// Ends the present phase.
  void end() {
    stamps_.push_back(space_->stamp());
    names_.push_back(nullptr);
    is_at_last_stamp_ = false;
    range_.end();
    begin_activity(nullptr);
  }
  /// Name and seconds of the ended phases, summed by name, in order of appearance. Synchronises.
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
  std::vector<const char*> names_;  ///< name of the phase that begins at each stamp; null: none
  bool is_at_last_stamp_ = false;   ///< the next phase begins at the last stamp
  ProfilerRange range_;
};

}  // namespace grove
