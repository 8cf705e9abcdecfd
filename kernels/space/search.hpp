// Binary searches, for loop bodies.
#pragma once

#include <cstdint>

#include "kernels/space/host_device.hpp"

namespace grove {

/// The first index in [first, last) for which is_before(index) is false; `last` if there is none. It must be true for all before that one,
/// and false for all after it.
template <class Index, class IsBefore>
GROVE_HD Index first_not(Index first, Index last, IsBefore is_before) {
  while (first < last) {
    const Index middle = first + (last - first) / 2;
    if (is_before(middle))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// The first index in [first, last) whose sorted number is not below `key`; `last` if there is none.
template <class T>
GROVE_HD std::uint32_t lower_bound(const T* sorted, std::uint32_t first, std::uint32_t last, std::uint64_t key) {
  return first_not(first, last, [&](std::uint32_t i) { return sorted[i] < key; });
}

}  // namespace grove
