// The indices of the items that satisfy a condition.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/space/space.hpp"

namespace grove {

namespace detail {

template <class Condition>
struct TestCondition {
  Condition condition;
  std::uint32_t* holds;
  GROVE_HD void operator()(std::size_t i) const { holds[i] = condition(i) ? 1 : 0; }
};

struct ListHolding {
  const std::uint32_t* holds;
  const std::uint32_t* place;
  std::uint32_t* index;
  GROVE_HD void operator()(std::size_t i) const {
    if (holds[i]) index[place[i]] = static_cast<std::uint32_t>(i);
  }
};

}  // namespace detail

/// Finds the indices i in [0, n), n < 2^32, for which condition(i) is true. Calls room(count) with their number; it returns memory of the
/// space for that many indices, and they are written there in ascending order. Returns their number. Synchronises once.
template <class Space, class Condition, class Room>
std::uint32_t select_indices(Space& space, std::size_t n, Condition condition, Room room) {
  Scratch<Space, std::uint32_t> holds(space, n), place(space, n + 1);
  space.for_each(n, detail::TestCondition<Condition>{condition, holds.data()});
  space.template exclusive_scan<std::uint32_t>(holds.view(), place.view());
  std::uint32_t count = 0;
  space.copy_to_host(&count, place.data() + n, sizeof(count));
  space.for_each(n, detail::ListHolding{holds.data(), place.data(), room(count)});
  return count;
}

}  // namespace grove
