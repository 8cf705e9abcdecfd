// Several numbers that are summed side by side, each by itself.
#pragma once

#include <cstddef>

#include "kernels/space/host_device.hpp"
#include "kernels/space/vector.hpp"

namespace grove {

/// A row of a table: `count` parts. Spaces reduce tables to one row, column by column, see reduce_rows().
template <class T, int count>
struct Row {
  T part[static_cast<std::size_t>(count)];
};

/// op(k, ...) of the parts k of two rows.
template <class T, int count, class Op>
GROVE_HD Row<T, count> join(const Row<T, count>& a, const Row<T, count>& b, const Op& op) {
  Row<T, count> both;
  for (int k = 0; k < count; ++k) both.part[k] = op(k, a.part[k], b.part[k]);
  return both;
}

/// For sums, and for rows whose parts are sums.
struct AddParts {
  template <class T>
  GROVE_HD T operator()(const T& a, const T& b) const {
    return a + b;
  }
  template <class T>
  GROVE_HD T operator()(int, const T& a, const T& b) const {
    return a + b;
  }
};

/// Joins rows that begin with so many low ends of ranges, and as many high ends: those of a box, say. All other parts are added.
template <int ranges>
struct JoinRangesAndSums {
  GROVE_HD double operator()(int k, double a, double b) const { return k < ranges ? smaller(a, b) : k < 2 * ranges ? larger(a, b) : a + b; }
};
using JoinBoxAndSums = JoinRangesAndSums<3>;

}  // namespace grove
