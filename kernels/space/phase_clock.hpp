// Times the phases of a step on the space's own clock (events on its stream, on the GPU), without synchronising between them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/space/space.hpp"

namespace grove {

/// A phase lasts from the mark before it to its own mark. On the GPU it is time on the stream, which includes waits for the host.
template <class Space>
class PhaseClock {
 public:
  explicit PhaseClock(Space& space) : space_(&space) {}

  /// Forgets all phases and starts the first.
  void restart() {
    space_->begin_stamps();
    stamps_.assign(1, space_->stamp());
    names_.clear();
  }
  /// Ends the present phase, which was `name`, a string literal.
  void mark(const char* name) {
    stamps_.push_back(space_->stamp());
    names_.push_back(name);
  }
  /// Name and seconds of each phase, those of equal name summed, in order of appearance. Synchronises.
  std::vector<std::pair<std::string, double>> phases() const {
    std::vector<std::pair<std::string, double>> result;
    for (std::size_t i = 0; i < names_.size(); ++i) {
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
};

}  // namespace grove
