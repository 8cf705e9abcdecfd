#include "src/solver/class_walks.hpp"

#include <cstddef>

namespace grove {

namespace {

/// The largest range about `t` whose pairs with it have the length of its own pairs.
ClassRange sources_like_own(const SofteningClasses& classes, int t) {
  const double length = classes.of_pair(t, t);
  ClassRange range{t, t + 1};
  while (range.begin > 0 && classes.of_pair(t, range.begin - 1) == length) --range.begin;
  while (range.end < classes.count() && classes.of_pair(t, range.end) == length) ++range.end;
  return range;
}

}  // namespace

std::vector<ClassWalk> class_walks(const SofteningClasses& classes, const std::vector<bool>& takes_walks) {
  std::vector<ClassWalk> walks;
  std::vector<ClassRange> like_own;
  for (int t = 0; t < classes.count(); ++t) {
    like_own.push_back(sources_like_own(classes, t));
    if (takes_walks[static_cast<std::size_t>(t)]) walks.push_back({{t, t + 1}, like_own.back()});
  }
  for (int c = 0; c < classes.count(); ++c) {
    const auto is_missing = [&](int t) {
      return takes_walks[static_cast<std::size_t>(t)] && !like_own[static_cast<std::size_t>(t)].has(c);
    };
    for (int t = 0; t < classes.count(); ++t) {
      if (!is_missing(t)) continue;
      ClassRange targets{t, t + 1};
      while (targets.end < classes.count() && is_missing(targets.end) && classes.of_pair(targets.end, c) == classes.of_pair(t, c))
        ++targets.end;
      walks.push_back({targets, {c, c + 1}});
      t = targets.end - 1;
    }
  }
  return walks;
}

}  // namespace grove
