// Selects the indices of items that satisfy a condition.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/space/space.hpp"

namespace grove {

namespace detail {

template <class Condition>
struct TestCondition {
  Condition condition;
  std::uint32_t* mark;
  GROVE_HD void operator()(std::size_t i) const { mark[i] = condition(i) ? 1 : 0; }
};

struct ListMarked {
  const std::uint32_t* mark;
  const std::uint32_t* place;
  std::uint32_t* index;
  std::size_t room;
  std::size_t marks = 0;
  std::uint32_t* count = nullptr;  ///< unless null, it gets the number of all marked items
  GROVE_HD void operator()(std::size_t i) const {
    if (i == 0 && count) *count = place[marks];
    if (mark[i] && place[i] < room) index[place[i]] = static_cast<std::uint32_t>(i);
  }
};

}  // namespace detail

/// Finds the indices i < 2^32 in [0, n) with a true condition(i). Calls room(count) with their number, which returns memory of the space
/// for them; they are written there in ascending order. Returns their number. Synchronises once.
template <class Space, class Condition, class Room>
std::uint32_t select_indices(Space& space, std::size_t n, Condition condition, Room room) {
  Scratch<Space, std::uint32_t> marks(space, n), place(space, n + 1);
  space.for_each(n, detail::TestCondition<Condition>{condition, marks.data()});
  space.template exclusive_scan<std::uint32_t>(marks.view(), place.view());
  std::uint32_t count = 0;
  space.copy_to_host(&count, place.data() + n, sizeof(count));
  space.for_each(n, detail::ListMarked{marks.data(), place.data(), room(count), count});
  return count;
}

/// The same without a wait, for n > 0: writes as many of the first indices as `index` has room for, and the number of all to `count` in
/// memory of the space. Asynchronous.
template <class Space, class Condition>
void select_first_indices(Space& space, std::size_t n, Condition condition, View<std::uint32_t> index, std::uint32_t* count) {
  Scratch<Space, std::uint32_t> marks(space, n), place(space, n + 1);
  space.for_each(n, detail::TestCondition<Condition>{condition, marks.data()});
  space.template exclusive_scan<std::uint32_t>(marks.view(), place.view());
  space.for_each(n, detail::ListMarked{marks.data(), place.data(), index.data, index.size, n, count});
}

}  // namespace grove
